#include "verify/gemm/gemm_options.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "verify/error.h"
#include "verify/request.h"

namespace lc::verify {
namespace {

template <class E>
struct Spelling {
  E value;
  const char* name;
};

constexpr Spelling<kernel::GemmType> kTypes[] = {
    {kernel::GemmType::f16, "f16"},   {kernel::GemmType::bf16, "bf16"},
    {kernel::GemmType::tf32, "tf32"}, {kernel::GemmType::e4m3, "e4m3"},
    {kernel::GemmType::e5m2, "e5m2"}, {kernel::GemmType::s8, "s8"},
    {kernel::GemmType::mxf8, "mxf8"}, {kernel::GemmType::nvf4, "nvf4"}};
constexpr Spelling<kernel::GemmMajor> kMajors[] = {{kernel::GemmMajor::k, "k"},
                                                   {kernel::GemmMajor::mn, "mn"}};
constexpr Spelling<kernel::GemmOutput> kOutputs[] = {{kernel::GemmOutput::f32, "f32"},
                                                     {kernel::GemmOutput::f16, "f16"},
                                                     {kernel::GemmOutput::bf16, "bf16"},
                                                     {kernel::GemmOutput::s32, "s32"}};
constexpr Spelling<kernel::GemmActivation> kActivations[] = {
    {kernel::GemmActivation::none, "none"},
    {kernel::GemmActivation::relu, "relu"},
    {kernel::GemmActivation::gelu, "gelu"},
    {kernel::GemmActivation::silu, "silu"}};
constexpr Spelling<GemmFill> kFills[] = {{GemmFill::integers, "integers"},
                                         {GemmFill::reals, "reals"}};
constexpr Spelling<bool> kDevices[] = {{false, "virtual"}, {true, "cuda"}};

template <class E, std::size_t n>
E choice(const Request& request, const char* field, const Spelling<E> (&rows)[n], E fallback) {
  if (!request.has(field)) return fallback;
  const std::string name = request.text(field);
  std::string all;
  for (const Spelling<E>& row : rows) {
    if (name == row.name) return row.value;
    all += std::string(all.empty() ? "" : " ") + row.name;
  }
  request.fail(field, fmt::format("unknown name \"{:.40}\"", name), "one of " + all);
}

template <class E, std::size_t n>
const char* name_of(const Spelling<E> (&rows)[n], E value) {
  for (const Spelling<E>& row : rows) {
    if (row.value == value) return row.name;
  }
  return "?";
}

/// "m" of A and "n" of B say the same as "mn".
kernel::GemmMajor major_of(const Request& request, const char* field, const char* own,
                           kernel::GemmMajor fallback) {
  if (request.has(field) && request.text(field) == own) return kernel::GemmMajor::mn;
  return choice(request, field, kMajors, fallback);
}

float real(const Request& request, const char* field, float fallback) {
  if (!request.has(field)) return fallback;
  const std::string text = request.text(field);
  char* end = nullptr;
  const float value = std::strtof(text.c_str(), &end);
  if (end == text.c_str() || *end != '\0' || !std::isfinite(value)) {
    request.fail(field, fmt::format("\"{:.40}\" is no number", text), "a number like 0.5");
  }
  return value;
}

const kernel::GemmKernel* kernel_of(const Request& request) {
  const std::string name = request.has("kernel") ? request.text("kernel") : "tcgen05_gemm";
  std::string all;
  for (const kernel::GemmKernel& k : kernel::gemm_kernels()) {
    if (name == k.name) return &k;
    all += std::string(all.empty() ? "" : " ") + k.name;
  }
  request.fail("kernel", fmt::format("there is no kernel \"{:.40}\"", name), "one of " + all);
}

kernel::GemmOutput default_output(kernel::GemmType type) {
  return type == kernel::GemmType::s8 ? kernel::GemmOutput::s32 : kernel::GemmOutput::f32;
}

kernel::GemmProblem problem_of(const Request& request, const kernel::GemmKernel& kernel) {
  constexpr std::uint64_t kMost = 1u << 20;
  kernel::GemmProblem p;
  p.type = choice(request, "type", kTypes, kernel::GemmType::f16);
  p.output = choice(request, "output", kOutputs, default_output(p.type));
  p.a_major = major_of(request, "a_major", "m", kernel::GemmMajor::k);
  p.b_major = major_of(request, "b_major", "n", kernel.b_major);
  p.m = static_cast<std::uint32_t>(request.number_or("m", 256, 1, kMost));
  p.n = static_cast<std::uint32_t>(request.number_or("n", 256, 1, kMost));
  p.k = static_cast<std::uint32_t>(request.number_or("k", 256, 1, kMost));
  p.alpha = real(request, "alpha", 1);
  p.beta = real(request, "beta", 0);
  p.bias = request.flag_or("bias", false);
  p.activation = choice(request, "activation", kActivations, kernel::GemmActivation::none);
  return p;
}

/// "N": the first N; "FIRST:COUNT".
void read_ctas(const Request& request, GemmOptions& options) {
  if (!request.has("ctas")) return;
  const std::string text = request.text("ctas");
  const std::size_t colon = text.find(':');
  const auto number = [&](std::string_view digits) {
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (error != std::errc{} || end != digits.data() + digits.size() || value >> 32 != 0) {
      request.fail("ctas", fmt::format("\"{:.40}\" are no CTAs", text), "N, or FIRST:COUNT");
    }
    return value;
  };
  options.default_ctas = false;
  if (colon != std::string::npos) {
    options.first_cta = number(std::string_view(text).substr(0, colon));
  }
  options.cta_count = number(colon == std::string::npos ? std::string_view(text)
                                                        : std::string_view(text).substr(colon + 1));
}

}  // namespace

GemmOptions gemm_options(const Question& question) {
  const Request request(question);
  GemmOptions out;
  out.kernel = kernel_of(request);
  out.problem = problem_of(request, *out.kernel);
  if (request.has("variant")) out.variant = request.text("variant");
  out.cuda = choice(request, "device", kDevices, false);
  if (out.cuda && request.has("schedule")) {
    request.fail("schedule", "is the virtual GPU's: a card has its own", "--device virtual");
  }
  out.fill = choice(request, "data", kFills, GemmFill::integers);
  out.seed = request.number_or("seed", 1);
  read_ctas(request, out);
  if (request.has("stages")) out.stages = request.numbers("stages", 64);
  if (request.has("ptx")) out.ptx = request.text("ptx");
  if (request.has("dump")) out.dump = request.text("dump");
  return out;
}

const char* spelt(kernel::GemmType type) {
  return name_of(kTypes, type);
}
const char* spelt(kernel::GemmMajor major) {
  return name_of(kMajors, major);
}
const char* spelt(kernel::GemmOutput output) {
  return name_of(kOutputs, output);
}
const char* spelt(kernel::GemmActivation activation) {
  return name_of(kActivations, activation);
}

}  // namespace lc::verify
