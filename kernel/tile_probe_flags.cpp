#include "kernel/tile_probe_flags.h"

#include <charconv>
#include <limits>

namespace lc::kernel {

const char* const kProbeHelp =
    R"(tile_probe fills tiles of shared memory on the GPU and writes what it finds there to a dump file.

  tile_probe --sweep N --seed S --out FILE      N random legal tiles
      [--by tma|cp.async]                       filled one way only
      [--most-bytes B]                          tiles of about B bytes at most (2048)
  tile_probe --preset NAME --out FILE           tcgen05-tile, base-offset-mistakes, grouped-box,
                                                pipeline
  tile_probe --tma --out FILE                   one TMA load; lists are innermost first
      --data-type bf16 --dim 128,64 --strides 256 --box 64,8 --coordinates 0,0
      [--element-strides 1,1] [--swizzle none|32B|64B|128B] [--interleave none|16B|32B]
      [--fill zero|nan] [--smem-address 1024] [--source-offset 0] [--window BEGIN,BYTES]
  tile_probe --operand --out FILE               one operand tile by cp.async
      --element f16 --major k|mn --mn 128 --k 32 --sbo 512
      [--lbo 16] [--swizzle none|32B|64B|128B|128B_32B] [--arch sm_90|sm_100] [--container 8]
      [--start-address 1024] [--keys address|buffer] [--base-offset N]
      [--source-offset 0] [--source-pitch BYTES] [--slice BEGIN,K] [--window BEGIN,BYTES]

example: tile_probe --sweep 64 --seed 7 --out tiles.safetensors && layout-check check tiles.safetensors
)";

namespace {

std::string in_ticks(std::string_view text) {
  std::string out = "`";
  out += text;
  out += '`';
  return out;
}

[[noreturn]] void refuse(const std::string& flag, const std::string& what) {
  throw SmemDumpError(flag + ": " + what + "; try: tile_probe --help");
}

template <class T>
T number(const std::string& flag, std::string_view text) {
  const std::string_view whole = text;
  int base = 10;
  if (text.starts_with("0x")) {
    text.remove_prefix(2);
    base = 16;
  }
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (error != std::errc{} || end != text.data() + text.size()) {
    refuse(flag, in_ticks(whole) + " is not a number between " +
                     std::to_string(std::numeric_limits<T>::min()) + " and " +
                     std::to_string(std::numeric_limits<T>::max()));
  }
  return value;
}

template <class T>
std::vector<T> numbers(const std::string& flag, std::string_view text) {
  std::vector<T> out;
  while (out.size() < 5) {
    const std::size_t comma = text.find(',');
    out.push_back(number<T>(flag, text.substr(0, comma)));
    if (comma == std::string_view::npos) return out;
    text.remove_prefix(comma + 1);
  }
  refuse(flag, "more than five numbers");
}

/// Index of `text` in the list.
int choice(const std::string& flag, const std::string& text, const std::vector<std::string>& list) {
  std::string all;
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (list[i] == text) return static_cast<int>(i);
    all += (i == 0 ? "" : ", ") + list[i];
  }
  refuse(flag, in_ticks(text) + " is none of " + all);
}

Window window(const std::string& flag, const std::string& text) {
  const auto pair = numbers<std::uint32_t>(flag, text);
  if (pair.size() != 2 || pair[1] == 0 || pair[0] % 4 != 0 || pair[1] % 4 != 0) {
    refuse(flag, "expected begin and length, multiples of 4");
  }
  return {pair[0], pair[1]};
}

struct Flag {
  const char* name;
  bool takes_value;
  void (*set)(ProbeRequest&, const std::string& flag, const std::string& value);
};

using What = ProbeRequest::What;

using R = ProbeRequest;
using S = const std::string;

constexpr Flag kFlags[] = {
    {"--help", false, [](R& r, S&, S&) { r.what = What::help; }},
    {"--out", true, [](R& r, S&, S& v) { r.out = v; }},
    {"--sweep", true,
     [](R& r, S& f, S& v) {
       r.what = What::sweep;
       r.tiles = number<std::uint32_t>(f, v);
       if (r.tiles > 1u << 20) refuse(f, "at most 1048576 tiles");
     }},
    {"--seed", true, [](R& r, S& f, S& v) { r.seed = number<std::uint64_t>(f, v); }},
    {"--by", true,
     [](R& r, S& f, S& v) {
       r.sweep_tma = choice(f, v, {"tma", "cp.async"}) == 0;
       r.sweep_operands = !r.sweep_tma;
     }},
    {"--most-bytes", true,
     [](R& r, S& f, S& v) {
       r.most_bytes = number<std::uint32_t>(f, v);
       if (r.most_bytes < 512 || r.most_bytes > 128u << 10) refuse(f, "512 to 131072");
     }},
    {"--preset", true,
     [](R& r, S&, S& v) {
       r.what = What::preset;
       r.preset = v;
     }},
    {"--tma", false, [](R& r, S&, S&) { r.what = What::tma; }},
    {"--operand", false, [](R& r, S&, S&) { r.what = What::operand; }},
    {"--data-type", true,
     [](R& r, S& f, S& v) {
       r.tma.map.data_type = choice(f, v,
                                    {"u8", "u16", "u32", "s32", "u64", "s64", "f16", "f32", "f64",
                                     "bf16", "f32_ftz", "tf32", "tf32_ftz"});
     }},
    {"--dim", true, [](R& r, S& f, S& v) { r.tma.map.global_dim = numbers<std::uint64_t>(f, v); }},
    {"--strides", true,
     [](R& r, S& f, S& v) { r.tma.map.global_strides = numbers<std::uint64_t>(f, v); }},
    {"--box", true, [](R& r, S& f, S& v) { r.tma.map.box_dim = numbers<std::uint32_t>(f, v); }},
    {"--element-strides", true,
     [](R& r, S& f, S& v) { r.tma.map.element_strides = numbers<std::uint32_t>(f, v); }},
    {"--coordinates", true,
     [](R& r, S& f, S& v) { r.tma.coordinates = numbers<std::int32_t>(f, v); }},
    {"--interleave", true,
     [](R& r, S& f, S& v) {
       r.tma.map.interleave = choice(f, v, {"none", "16B", "32B"});
     }},
    {"--fill", true,
     [](R& r, S& f, S& v) {
       r.tma.map.oob_fill = choice(f, v, {"zero", "nan"});
     }},
    {"--smem-address", true,
     [](R& r, S& f, S& v) { r.tma.destination = number<std::uint32_t>(f, v); }},
    {"--swizzle", true,
     [](R& r, S& f, S& v) {
       const int mode = choice(f, v, {"none", "32B", "64B", "128B", "128B_32B"});
       r.tma.map.swizzle = mode;
       r.operand.swizzle = static_cast<SmemSwizzle>(mode);
     }},
    {"--source-offset", true,
     [](R& r, S& f, S& v) {
       r.tma.source_offset = r.operand.source_offset = number<std::uint64_t>(f, v);
     }},
    {"--window", true, [](R& r, S& f, S& v) { r.tma.window = r.operand.window = window(f, v); }},
    {"--element", true, [](R& r, S&, S& v) { r.operand.element = v; }},
    {"--container", true,
     [](R& r, S& f, S& v) { r.operand.container = number<std::uint32_t>(f, v); }},
    {"--major", true,
     [](R& r, S& f, S& v) {
       r.operand.k_major = choice(f, v, {"k", "mn"}) == 0;
     }},
    {"--arch", true,
     [](R& r, S& f, S& v) {
       r.operand.arch = choice(f, v, {"sm_90", "sm_100"}) == 0 ? 90 : 100;
     }},
    {"--mn", true, [](R& r, S& f, S& v) { r.operand.mn = number<std::uint32_t>(f, v); }},
    {"--k", true, [](R& r, S& f, S& v) { r.operand.k = number<std::uint32_t>(f, v); }},
    {"--start-address", true,
     [](R& r, S& f, S& v) { r.operand.start_address = number<std::uint32_t>(f, v); }},
    {"--lbo", true,
     [](R& r, S& f, S& v) { r.operand.leading_byte_offset = number<std::uint32_t>(f, v); }},
    {"--sbo", true,
     [](R& r, S& f, S& v) { r.operand.stride_byte_offset = number<std::uint32_t>(f, v); }},
    {"--keys", true,
     [](R& r, S& f, S& v) {
       r.operand.buffer_keys = choice(f, v, {"address", "buffer"}) == 1;
     }},
    {"--base-offset", true,
     [](R& r, S& f, S& v) { r.operand.base_offset = number<std::uint32_t>(f, v); }},
    {"--source-pitch", true,
     [](R& r, S& f, S& v) { r.operand.source_pitch = number<std::uint32_t>(f, v); }},
    {"--slice", true,
     [](R& r, S& f, S& v) {
       const auto pair = numbers<std::uint32_t>(f, v);
       if (pair.size() != 2 || pair[1] == 0) refuse(f, "expected begin and k");
       r.operand.slice_begin = pair[0];
       r.operand.slice_k = pair[1];
     }},
};

const Flag& flag(const std::string& name) {
  for (const Flag& f : kFlags) {
    if (name == f.name) return f;
  }
  refuse(name, "no such flag");
}

}  // namespace

ProbeRequest parse_flags(const std::vector<std::string>& arguments) {
  ProbeRequest request;
  request.command = "tile_probe";
  request.tma.name = request.operand.name = "tile";
  bool own_base_offset = false;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string& name = arguments[i];
    const Flag& f = flag(name);
    request.command += " " + name;
    own_base_offset |= name == "--base-offset";
    if (f.takes_value && ++i == arguments.size()) refuse(name, "needs a value");
    if (f.takes_value) request.command += " " + arguments[i];
    f.set(request, name, f.takes_value ? arguments[i] : std::string());
    if (request.what == What::help && name == "--help") return request;
  }
  if (request.what != What::help && request.out.empty()) refuse("--out", "needs a value");
  if (request.tma.map.element_strides.empty()) {
    request.tma.map.element_strides.assign(request.tma.map.box_dim.size(), 1);
  }
  if (!own_base_offset) request.operand.base_offset = base_offset_for(request.operand);
  return request;
}

}  // namespace lc::kernel
