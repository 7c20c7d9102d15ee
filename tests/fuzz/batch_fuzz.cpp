// Any bytes on `batch`'s input: every line gets one line of valid JSON back, and nothing else
// happens.
#include <algorithm>
#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/fuzz/must.h"
#include "verify/batch.h"

using lc::fuzz::must;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(data, data + size);
  std::istringstream in(text);
  std::ostringstream out;
  must(lc::verify::run_batch(in, out) == 0, "batch reads its input to the end");

  const auto questions =
      std::count(text.begin(), text.end(), '\n') + (!text.empty() && text.back() != '\n');
  std::istringstream answers(out.str());
  std::ptrdiff_t count = 0;
  for (std::string line; std::getline(answers, line); ++count) {
    const nlohmann::json answer = nlohmann::json::parse(line, nullptr, false);
    must(answer.is_object(), "an answer is a JSON object");
    must(answer.contains("id"), "an answer has an id");
    must(answer.contains("ok") && answer["ok"].is_boolean(), "an answer says ok");
    if (answer["ok"] == true) continue;
    must(answer["error"]["what"].is_string() && !answer["error"]["what"].empty(),
         "a failure says what is wrong");
    const std::string hint = answer["error"]["hint"].get<std::string>();
    must(hint.find("report this") == std::string::npos, "no failure comes as a surprise");
  }
  must(count == questions, "one answer per question");
  return 0;
}
