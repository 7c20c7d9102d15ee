#include "sim/runtime/image.h"

#include <cstring>

#include "sim/ptx/elf.h"
#include "sim/ptx/error.h"
#include "sim/runtime/abi.h"
#include "sim/runtime/error.h"

namespace lc::runtime {
namespace {

constexpr std::uint32_t kContainerMagic = 0xba55ed50;
constexpr const char* kHint =
    "\n  try: build with -gencode arch=compute_100a,code=compute_100a (or 90a), which keeps the "
    "PTX";

template <class T>
T load(const std::uint8_t* at, std::size_t offset) {
  T value;
  std::memcpy(&value, at + offset, sizeof value);
  return value;
}

/// Bytes of a 64-bit ELF image, from its header: the end of the section table or of what it names.
std::size_t elf_size(const std::uint8_t* at) {
  const auto section_table = load<std::uint64_t>(at, 40);
  const auto header_bytes = load<std::uint16_t>(at, 58), headers = load<std::uint16_t>(at, 60);
  std::uint64_t end = section_table + std::uint64_t{header_bytes} * headers;
  constexpr std::uint32_t kNoBits = 8;
  for (std::uint16_t i = 0; i < headers; ++i) {
    const std::uint8_t* header = at + section_table + std::uint64_t{header_bytes} * i;
    if (load<std::uint32_t>(header, 4) == kNoBits) continue;
    end = std::max(end, load<std::uint64_t>(header, 24) + load<std::uint64_t>(header, 32));
  }
  return end;
}

const std::uint8_t* unwrapped(const std::uint8_t* at) {
  if (load<int>(at, 0) != abi::FatbinWrapper::kMagic) return at;
  const auto wrapper = load<abi::FatbinWrapper>(at, 0);
  if (wrapper.version != 1) {
    throw CudaError(kNotSupported,
                    "this program was built with -rdc=true: its device code must be linked, which "
                    "the virtual GPU cannot do\n  try: build without -rdc");
  }
  return wrapper.data;
}

bool is_container(const std::uint8_t* at) {
  return load<std::uint32_t>(at, 0) == kContainerMagic;
}

std::vector<ptx::FatbinContainer> containers_at(const std::uint8_t* at) {
  const std::size_t size = load<std::uint16_t>(at, 6) + load<std::uint64_t>(at, 8);
  return ptx::read_fatbin({at, size}, "fat binary");
}

/// "sm_90 (cubin), sm_80 (PTX)"
std::string contents_of(const std::vector<ptx::FatbinContainer>& containers) {
  std::string out;
  for (const ptx::FatbinContainer& container : containers) {
    for (const ptx::FatbinEntry& entry : container.entries) {
      out += (out.empty() ? "" : ", ") + ("sm_" + std::to_string(entry.arch)) +
             (entry.kind == ptx::FatbinEntry::Kind::ptx ? " (PTX)" : " (cubin)");
    }
  }
  return out.empty() ? "nothing" : out;
}

ImagePtx ptx_of_containers(const std::uint8_t* at, std::string_view device) {
  const auto containers = containers_at(at);
  for (const ptx::FatbinContainer& container : containers) {
    if (auto found = ptx::choose_ptx(container, device, "fat binary")) {
      return {std::move(found->target), std::move(found->text), "fat binary"};
    }
  }
  throw CudaError(kNoImageForDevice, "the program holds no PTX that " + std::string(device) +
                                         " runs, only " + contents_of(containers) + kHint);
}

std::string target_of_text(const std::string& text) {
  const std::size_t at = text.find(".target");
  if (at == std::string::npos) return {};
  const std::size_t first = text.find_first_not_of(" \t", at + 7);
  return text.substr(first, text.find_first_of(", \t\r\n", first) - first);
}

}  // namespace

ImagePtx ptx_of_image(const void* image, std::string_view device) {
  if (image == nullptr) throw CudaError(kInvalidValue);
  const std::uint8_t* at = unwrapped(static_cast<const std::uint8_t*>(image));
  if (is_container(at)) return ptx_of_containers(at, device);
  if (std::memcmp(at,
                  "\x7f"
                  "ELF",
                  4) == 0) {
    const ptx::ElfFile file = ptx::read_elf({at, elf_size(at)}, "cubin");
    for (const ptx::ElfSection& section : file.sections) {
      if (section.name == ".nv_fatbin" && !section.bytes.empty()) {
        return ptx_of_containers(section.bytes.data(), device);
      }
    }
    throw CudaError(kNoImageForDevice,
                    std::string("the image is machine code without PTX") + kHint);
  }
  std::string text(reinterpret_cast<const char*>(at));
  if (text.find(".version") == std::string::npos) {
    throw CudaError(kInvalidImage, "the image is no fat binary, no cubin and no PTX text");
  }
  std::string target = target_of_text(text);
  if (ptx::suitability(target, device) == 0) {
    throw CudaError(kNoImageForDevice,
                    "PTX for " + target + " does not run on " + std::string(device) +
                        "\n  try: LC_DEVICE=h200 for sm_90a, LC_DEVICE=b200 for sm_100a");
  }
  return {std::move(target), std::move(text), "PTX text"};
}

bool image_suits(const void* image, std::string_view device) {
  try {
    const std::uint8_t* at = unwrapped(static_cast<const std::uint8_t*>(image));
    if (!is_container(at)) return false;
    for (const ptx::FatbinContainer& container : containers_at(at)) {
      if (ptx::choose_ptx(container, device, "fat binary")) return true;
    }
  } catch (const std::runtime_error&) {
    // Whoever loads it says what is wrong.
  }
  return false;
}

}  // namespace lc::runtime
