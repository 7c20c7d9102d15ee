#include "sim/runtime/options.h"

#include <charconv>

namespace lc::runtime {
namespace {

std::optional<std::uint64_t> parse_number(std::string_view text) {
  int base = 10;
  if (text.starts_with("0x") || text.starts_with("0X")) {
    text.remove_prefix(2);
    base = 16;
  }
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (text.empty() || error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

/// Reads one variable after the other and collects what is wrong with them.
struct Reader {
  const std::function<const char*(const char*)>& variable;
  std::string& problem;

  template <class Parse>
  void read(const char* name, const char* expected, Parse&& parse) const {
    const char* text = variable(name);
    if (text == nullptr || *text == '\0' || parse(std::string_view(text))) return;
    problem += std::string(name) + "=" + text + " is not " + expected + "; it is ignored\n";
  }

  template <class T>
  void amount(const char* name, T& to) const {
    read(name, "a number", [&](std::string_view text) {
      const auto value = parse_amount(text);
      if (value) to = static_cast<std::remove_reference_t<decltype(to)>>(*value);
      return value.has_value();
    });
  }

  void byte(const char* name, std::byte& to) const {
    read(name, "a byte, 0 to 255", [&](std::string_view text) {
      const auto value = parse_number(text);
      if (!value || *value > 255) return false;
      to = static_cast<std::byte>(*value);
      return true;
    });
  }
};

bool parse_device(std::string_view text, Options& options) {
  if (text == "auto") {
    options.device = Options::Device::automatic;
  } else if (text == "b200" || text == "sm_100") {
    options.device = Options::Device::b200;
  } else if (text == "h200" || text == "sm_90") {
    options.device = Options::Device::h200;
  } else {
    return false;
  }
  return true;
}

}  // namespace

std::optional<std::uint64_t> parse_amount(std::string_view text) {
  unsigned shift = 0;
  if (!text.empty()) {
    switch (text.back()) {
      case 'K':
        shift = 10;
        break;
      case 'M':
        shift = 20;
        break;
      case 'G':
        shift = 30;
        break;
      default:
        break;
    }
  }
  if (shift != 0) text.remove_suffix(1);
  const auto value = parse_number(text);
  if (!value || *value > ~std::uint64_t{0} >> shift) return std::nullopt;
  return *value << shift;
}

Options read_options(const std::function<const char*(const char*)>& variable,
                     std::string& problem) {
  Options options;
  const Reader reader{variable, problem};
  reader.read("LC_DEVICE", "auto, b200 or h200",
              [&](std::string_view text) { return parse_device(text, options); });
  reader.read("LC_SCHEDULE", "eager, lazy or random:SEED", [&](std::string_view text) {
    const auto schedule = machine::parse_schedule(text);
    if (schedule) options.schedule = *schedule;
    return schedule.has_value();
  });
  reader.amount("LC_MEMORY_LIMIT", options.memory_limit);
  reader.amount("LC_INSTRUCTION_LIMIT", options.instruction_limit);
  reader.amount("LC_HOST_THREADS", options.host_threads);
  reader.byte("LC_FRESH_SHARED", options.fresh_shared);
  reader.byte("LC_FRESH_GLOBAL", options.fresh_global);
  reader.read("LC_TRACE", "0 or 1", [&](std::string_view text) {
    options.trace = text == "1";
    return text == "0" || text == "1";
  });
  reader.read("LC_KEEP_PTX", "a directory", [&](std::string_view text) {
    options.ptx_directory = text;
    return true;
  });
  return options;
}

}  // namespace lc::runtime
