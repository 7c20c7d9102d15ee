#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <ostream>

#include "sim/layout/tma_copy.h"
#include "verify/commands/commands.h"
#include "verify/commands/tma_picture.h"
#include "verify/ops/ops.h"
#include "verify/ops/tensor_map_request.h"

namespace lc::verify {
namespace {

constexpr std::size_t kPictureLines = 16;

/// Packed strides, for a call that names none.
Question packed_strides(const Request& request) {
  const DataType type = request.choice<DataType>("data_type");
  const std::vector<std::uint64_t> dims = request.numbers("global_dim", kMaxRank + 1);
  Question strides = Question::array();
  std::uint64_t stride = 0;
  for (std::size_t i = 0; i + 1 < dims.size(); ++i) {
    const std::uint64_t limit = kMaxGlobalStride * 8;
    const std::uint64_t factor = i == 0 ? data_type_row(type).bits : dims[i];
    const std::uint64_t by = i == 0 ? dims[0] : stride;
    if (factor != 0 && by > limit / factor) {
      request.fail("global_strides", "packed strides of these dimensions are 2^40 bytes or more",
                   "--global-strides B,…");
    }
    stride = i == 0 ? (by * factor + 7) / 8 : by * factor;
    strides.push_back(stride);
  }
  return strides;
}

/// What most calls leave at its default.
Question completed(const Question& question) {
  Question q = question;
  const auto fill = [&](const char* field, const Question& value) {
    if (!q.contains(field)) q[field] = value;
  };
  fill("arch", "sm_90");
  fill("global_address", "0x10000000");
  fill("interleave", "none");
  fill("swizzle", "none");
  fill("l2_promotion", "none");
  fill("oob_fill", "zero");
  const std::size_t rank = Request(q).numbers("global_dim", 16).size();
  fill("element_strides", std::vector<std::uint64_t>(rank, 1));
  fill("global_strides", packed_strides(Request(q)));
  return q;
}

std::string joined_list(const Answer& list) {
  std::string out;
  for (const Answer& entry : list) {
    out +=
        (out.empty() ? "" : ", ") + (entry.is_string() ? entry.get<std::string>() : entry.dump());
  }
  return out;
}

void print_call(const Answer& call, const Output& output) {
  Table table;
  for (const char* field :
       {"data_type", "global_address", "global_dim", "global_strides", "box_dim", "element_strides",
        "interleave", "swizzle", "l2_promotion", "oob_fill"}) {
    const Answer& value = call.at(field);
    table.row({field, value.is_array()    ? joined_list(value)
                      : value.is_string() ? value.get<std::string>()
                                          : value.dump()});
  }
  output.out << table.text(4);
}

void print_nearest(const Answer& nearest, const Output& output) {
  output.out << '\n' << output.paint.bold("Nearest legal call") << '\n';
  Table changes;
  for (const Answer& change : nearest.at("changes")) {
    const auto text = [](const Answer& v) {
      return v.is_string() ? v.get<std::string>() : v.dump();
    };
    changes.row({change.at("field").get<std::string>(), text(change.at("from")), "->",
                 text(change.at("to"))});
  }
  output.out << changes.text(2) << "  which makes it\n";
  print_call(nearest, output);
}

std::string verdict_text(bool good, const std::string& text, const Output& output) {
  return good ? output.paint.green(text) : output.paint.red(text);
}

/// What lands where, after an outcome of "ok".
void print_box(const TensorMap& map, const TmaBox& box, const Answer& answer, bool store,
               const Output& output) {
  const std::uint64_t end = box.smem_address + box.footprint;
  const char* row_name = box.interleaved ? "pixels" : "rows";
  output.out << fmt::format("  {} {} of {} bytes", box.rows, row_name, box.inner_bytes);
  if (box.row_pitch != box.inner_bytes) {
    output.out << fmt::format(", {} bytes apart (the span of the swizzle)", box.row_pitch);
  }
  output.out << fmt::format("; shared memory 0x{:x}..0x{:x}\n", box.smem_address, end);
  std::int64_t fill = 0, copied = 0;
  for (const Answer& run : answer.at("runs")) {
    const std::int64_t length = run.at(1).get<std::int64_t>();
    (!store && run.at(2).get<std::int64_t>() < 0 ? fill : copied) += length;
  }
  if (store) {
    output.out << fmt::format("  {} bytes written to global memory\n", copied);
  } else {
    output.out << fmt::format("  {} bytes complete on the barrier: {} from the tensor",
                              box.transaction_bytes, copied);
    if (fill > 0) output.out << fmt::format(", {} of {} fill", fill, name_of(map.oob_fill));
    output.out << '\n';
  }
  if (data_type_row(map.data_type).tf32 && !store) {
    output.out << "  each value is rounded to 10 mantissa bits on the way, to nearest even\n";
  }
}

int print_copy(const Question& question, const Answer& answer, bool store, const Output& output) {
  const Request request(question);
  const TensorMap map = read_tensor_map(request);
  const Coordinates first = read_coordinates(request, map.rank);
  const std::uint64_t smem = read_smem_address(request);
  const std::string outcome = answer.at("outcome").get<std::string>();
  std::string at;
  for (int i = 0; i < map.rank; ++i) at += fmt::format("{}{}", i == 0 ? "" : ", ", first[i]);
  output.out << '\n'
             << output.paint.bold(fmt::format("{} at ({}), shared memory 0x{:x}",
                                              store ? "Store" : "Load", at, smem))
             << ": " << verdict_text(outcome == "ok", outcome, output) << '\n';
  // The map's own findings were printed above.
  Answer findings = Answer::array();
  for (const Answer& f : answer.at("findings")) {
    if (f.at("rule").get<std::string>().starts_with("tma.")) findings.push_back(f);
  }
  print_findings(output, findings);
  if (outcome != "ok") return 1;
  const TmaBox box = make_tma_box(map, first, smem);
  print_box(map, box, answer, store, output);
  output.out << '\n' << tma_picture(box, store, kPictureLines, output.paint);
  return 0;
}

int run_im2col(const Question& question, const Output& output) {
  const Answer answer = answer_op("tensor_map.check_im2col", question, output);
  const bool accepted = answer.at("accepted").get<bool>();
  if (!output.json) {
    output.out << output.paint.bold("cuTensorMapEncodeIm2col") << ": "
               << verdict_text(accepted, accepted ? "accepted" : "refused", output) << '\n';
    print_findings(output, answer.at("findings"));
  }
  return accepted ? 0 : 1;
}

int run(const Question& given, const Output& output) {
  Question question = completed(given);
  if (question.contains("pixel_box_lower")) return run_im2col(question, output);
  Question call = question;
  const bool store = question.contains("operation");
  for (const char* field : {"coordinates", "smem_address", "operation"}) call.erase(field);
  const Answer check = run_op(*find_op("tensor_map.check"), call);
  const bool accepted = check.at("accepted").get<bool>();

  const int rank = read_tensor_map(Request(question)).rank;
  if (!question.contains("coordinates")) {
    question["coordinates"] = std::vector<std::uint64_t>(static_cast<std::size_t>(rank), 0);
  }
  if (!question.contains("smem_address")) question["smem_address"] = "0x400";
  const Answer copy = run_op(*find_op(store ? "tma.store" : "tma.load"), question);
  const bool moves = copy.at("outcome") == "ok";
  if (output.json) {
    Answer whole = {{"op", "tma"}};
    whole.update(check);
    whole.update(copy);
    output.out << whole.dump() << '\n';
    return accepted && moves ? 0 : 1;
  }
  output.out << output.paint.bold("cuTensorMapEncodeTiled") << " on "
             << question.at("arch").get<std::string>() << ": "
             << verdict_text(accepted, accepted ? "accepted" : "refused", output) << '\n';
  print_findings(output, check.at("findings"));
  if (!accepted) {
    print_nearest(check.at("nearest_legal"), output);
    return 1;
  }
  return print_copy(question, copy, store, output);
}

}  // namespace

Command tma_command() {
  using enum OptionKind;
  return {
      "tma",
      "Is this cuTensorMapEncodeTiled call legal, and what does the box put where?",
      "layout-check tma --data-type bf16 --global-dim 4096,4096 --box-dim 64,8 --swizzle 128B \\\n"
      "  --coordinates 64,8 --smem-address 0x1800",
      nullptr,
      false,
      joined({{{"--arch", text, "sm_90|sm_100", "default sm_90"}},
              tensor_map_options(),
              copy_options(),
              {{"--operation", text, "OP", "a store, or add min max inc dec and or xor"},
               {"--pixel-box-lower", list, "W,H,D", "im2col: lower corner offsets"},
               {"--pixel-box-upper", list, "W,H,D", "im2col: upper corner offsets"},
               {"--channels-per-pixel", text, "N", "im2col"},
               {"--pixels-per-column", text, "N", "im2col"},
               {"--wide", flag, "", "im2col-wide"}}}),
      run};
}

}  // namespace lc::verify
