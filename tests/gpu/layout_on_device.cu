#include "tests/gpu/layout_on_device.h"

#include "kernel/smem_dump.h"
#include "sim/layout/operand.h"
#include "sim/layout/tma_box.h"

namespace lc::gpu_tests {

namespace {

using kernel::detail::check;

LC_HD std::uint64_t bit_address(const OperandQuestion& q, std::uint32_t i) {
  const DecodedSmemDescriptor d = decode_smem_descriptor(q.arch, q.descriptor);
  // Through the encoder once more, so that it runs on the device too.
  const std::uint64_t again = encode_smem_descriptor(q.arch, d.fields);
  const OperandLayout l =
      operand_layout(decode_smem_descriptor(q.arch, again).fields, q.major, q.element, q.container);
  return l.bit_address(i / q.k, i % q.k);
}

LC_HD std::int64_t box_byte(const BoxQuestion& q, std::uint32_t i) {
  const TmaBox box = make_tma_box(q.map, q.coordinates, q.smem_address);
  const TmaElement found = element_at(box, q.smem_address + i);
  if (!found.present) return kUncovered;
  return found.inside ? found.global_offset : kFill;
}

__global__ void operand_kernel(const OperandQuestion* questions, const std::uint64_t* first,
                               std::uint64_t* out) {
  const OperandQuestion q = questions[blockIdx.x];
  for (std::uint32_t i = threadIdx.x; i < q.mn * q.k; i += blockDim.x) {
    out[first[blockIdx.x] + i] = bit_address(q, i);
  }
}

__global__ void box_kernel(const BoxQuestion* questions, std::uint32_t bytes, std::int64_t* out) {
  const BoxQuestion q = questions[blockIdx.x];
  for (std::uint32_t i = threadIdx.x; i < bytes; i += blockDim.x) {
    out[std::uint64_t{blockIdx.x} * bytes + i] = box_byte(q, i);
  }
}

/// Device memory that begins as a copy of a vector and can be copied back.
template <class T>
class DeviceVector {
 public:
  explicit DeviceVector(const std::vector<T>& values) : count_(values.size()) {
    void* memory = nullptr;
    check(cudaMalloc(&memory, count_ * sizeof(T)), "cudaMalloc");
    data_ = static_cast<T*>(memory);
    check(cudaMemcpy(data_, values.data(), count_ * sizeof(T), cudaMemcpyHostToDevice), "copy");
  }
  DeviceVector(const DeviceVector&) = delete;
  DeviceVector& operator=(const DeviceVector&) = delete;
  ~DeviceVector() { cudaFree(data_); }

  T* data() const { return data_; }
  std::vector<T> fetch() const {
    check(cudaGetLastError(), "launch");
    check(cudaDeviceSynchronize(), "kernel");
    return kernel::detail::fetched(data_, count_);
  }

 private:
  T* data_ = nullptr;
  std::size_t count_;
};

/// Where each question's answers begin; one entry more than questions.
std::vector<std::uint64_t> beginnings(const std::vector<OperandQuestion>& questions) {
  std::vector<std::uint64_t> first{0};
  for (const auto& q : questions) first.push_back(first.back() + std::uint64_t{q.mn} * q.k);
  return first;
}

}  // namespace

std::vector<std::uint64_t> operand_bit_addresses_on_device(
    const std::vector<OperandQuestion>& questions) {
  const std::vector<std::uint64_t> first = beginnings(questions);
  const DeviceVector<OperandQuestion> device_questions(questions);
  const DeviceVector<std::uint64_t> device_first(first);
  const DeviceVector<std::uint64_t> out(std::vector<std::uint64_t>(first.back()));
  operand_kernel<<<static_cast<unsigned>(questions.size()), 128>>>(device_questions.data(),
                                                                   device_first.data(), out.data());
  return out.fetch();
}

std::vector<std::uint64_t> operand_bit_addresses_on_host(
    const std::vector<OperandQuestion>& questions) {
  std::vector<std::uint64_t> out;
  for (const auto& q : questions) {
    for (std::uint32_t i = 0; i < q.mn * q.k; ++i) out.push_back(bit_address(q, i));
  }
  return out;
}

std::vector<std::int64_t> box_bytes_on_device(const std::vector<BoxQuestion>& questions,
                                              std::uint32_t bytes) {
  const DeviceVector<BoxQuestion> device_questions(questions);
  const DeviceVector<std::int64_t> out(std::vector<std::int64_t>(questions.size() * bytes));
  box_kernel<<<static_cast<unsigned>(questions.size()), 128>>>(device_questions.data(), bytes,
                                                               out.data());
  return out.fetch();
}

std::vector<std::int64_t> box_bytes_on_host(const std::vector<BoxQuestion>& questions,
                                            std::uint32_t bytes) {
  std::vector<std::int64_t> out;
  for (const auto& q : questions) {
    for (std::uint32_t i = 0; i < bytes; ++i) out.push_back(box_byte(q, i));
  }
  return out;
}

}  // namespace lc::gpu_tests
