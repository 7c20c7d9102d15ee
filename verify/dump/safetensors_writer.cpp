#include <fmt/format.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "verify/dump/safetensors.h"
#include "verify/error.h"
#include "verify/json.h"

namespace lc::verify {

std::string safetensors_file(const std::vector<NamedBytes>& tensors,
                             const std::map<std::string, std::string>& metadata) {
  Answer header = Answer::object();
  if (!metadata.empty()) header["__metadata__"] = metadata;
  std::uint64_t at = 0;
  for (const NamedBytes& t : tensors) {
    if (header.contains(t.name)) {
      throw Error("tensor `" + t.name + "`", "the name stands twice", "a name of its own");
    }
    header[t.name] = {{"dtype", "U8"},
                      {"shape", Answer::array({t.bytes.size()})},
                      {"data_offsets", Answer::array({at, at + t.bytes.size()})}};
    at += t.bytes.size();
  }
  std::string text = header.dump(-1, ' ', false, Answer::error_handler_t::replace);
  text.resize((text.size() + 7) / 8 * 8, ' ');  // data aligned to 8 bytes
  std::string file;
  file.reserve(8 + text.size() + at);
  for (unsigned i = 0; i < 8; ++i) {
    file += static_cast<char>(std::uint64_t{text.size()} >> (8 * i) & 0xff);
  }
  file += text;
  for (const NamedBytes& t : tensors) file.append(t.bytes.begin(), t.bytes.end());
  return file;
}

void write_safetensors(const std::string& path, const std::vector<NamedBytes>& tensors,
                       const std::map<std::string, std::string>& metadata) {
  const std::string bytes = safetensors_file(tensors, metadata);
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  file.close();
  if (!file) throw Error(path, "cannot be written", "check the directory and the space left");
}

}  // namespace lc::verify
