#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/layout/tma_golden.h"
#include "tests/test.h"
#include "verify/batch.h"
#include "verify/error.h"
#include "verify/ops/ops.h"
#include "verify/ops/tensor_map_request.h"
#include "verify/ops/tma_runs.h"

using namespace lc;
using lc::verify::Answer;
using lc::verify::Question;

BOOST_AUTO_TEST_SUITE(tma_ops_tests)

namespace {

/// The question takes the way of a line of text, as in `batch`.
Answer ask(const char* op, const Question& question) {
  return verify::run_op(*verify::find_op(op), Question::parse(question.dump()));
}

/// A captured call as a question: enumerations by name, lists as long as the rank.
Question question_of(const golden::Row& row, std::uint64_t global_address) {
  const TensorMap map = golden::tensor_map(row, global_address);
  Question question = Question::parse(verify::to_json(map).dump());
  question["arch"] = "sm_90";
  return question;
}

Question with_copy(Question question, const golden::Row& row, const char* smem_column) {
  question["coordinates"] = Question::array();
  for (int i = 0; i < row.number("rank"); ++i) {
    question["coordinates"].push_back(row.number(golden::indexed("c", i)));
  }
  question["smem_address"] = row.unsigned_number("base") + row.unsigned_number(smem_column);
  return question;
}

std::vector<verify::TmaRun> runs_of(const Answer& answer) {
  std::vector<verify::TmaRun> runs;
  for (const Answer& run : answer.at("runs")) {
    runs.push_back({run.at(0).get<std::int64_t>(), run.at(1).get<std::int64_t>(),
                    run.at(2).get<std::int64_t>()});
  }
  return runs;
}

/// Sorted, without overlap, and no two neighbours that are one run.
void require_maximal(const std::vector<verify::TmaRun>& runs) {
  for (std::size_t i = 1; i < runs.size(); ++i) {
    const verify::TmaRun &a = runs[i - 1], &b = runs[i];
    BOOST_TEST_REQUIRE(a.to + a.length <= b.to);
    const bool adjacent = a.to + a.length == b.to;
    const bool one_source = a.from == verify::kFill || b.from == verify::kFill
                                ? a.from == b.from
                                : a.from + a.length == b.from;
    BOOST_TEST_REQUIRE(!(adjacent && one_source));
  }
}

Question plain_question() {
  return Question::parse(R"({"arch":"sm_90","data_type":"f16","global_address":"0x10000000",
    "global_dim":[256,64],"global_strides":[512],"box_dim":[64,8],"element_strides":[1,1],
    "interleave":"none","swizzle":"128B","l2_promotion":"none","oob_fill":"zero",
    "coordinates":[64,8],"smem_address":"0x1800"})");
}

}  // namespace

BOOST_AUTO_TEST_CASE(captured_calls_by_name) {
  const golden::Table table = golden::load("h200/tmap_tiled");
  golden::for_each_row(table, [&](const golden::Row& row) {
    const TensorMap map = golden::tensor_map(row, row.unsigned_number("addr"));
    const bool named = has_known_kinds(map) && is_known(map.l2_promotion) &&
                       is_known(map.oob_fill) && map.rank <= kMaxRank;
    if (!named) return;
    const Answer answer = ask("tensor_map.check", question_of(row, row.unsigned_number("addr")));
    BOOST_TEST_CONTEXT("record " << row.id()) {
      BOOST_TEST_REQUIRE(answer.at("accepted").get<bool>() == (row.number("result") == 0));
      if (row.number("result") == 0) {
        std::string hex;
        for (int i = 0; i < 128; ++i) {
          const char* digits = "0123456789abcdef";
          hex += digits[row.piece()[i] >> 4];
          hex += digits[row.piece()[i] & 15];
        }
        BOOST_TEST_REQUIRE(answer.at("tensor_map").get<std::string>() == hex);
      } else {
        Question nearest = Question::parse(answer.at("nearest_legal").dump());
        nearest.erase("changes");
        nearest["arch"] = "sm_90";
        BOOST_TEST_REQUIRE(ask("tensor_map.check", nearest).at("accepted").get<bool>());
      }
    }
  });
}

BOOST_AUTO_TEST_CASE(runs_of_captured_loads_give_the_captured_bytes) {
  const golden::Table table = golden::load("h200/tma_load");
  golden::for_each_row(table, [&](const golden::Row& row) {
    const Answer answer = ask("tma.load", with_copy(question_of(row, 0x10000000), row, "dst"));
    BOOST_TEST_CONTEXT("record " << row.id()) {
      const std::string captured = row.text("result");
      BOOST_TEST_REQUIRE(answer.at("outcome").get<std::string>() ==
                         (captured == "encode_1" ? "refused" : captured));
      BOOST_TEST_REQUIRE(answer.contains("runs") == (captured == "ok"));
      if (captured != "ok") return;
      BOOST_TEST_REQUIRE(answer.at("transaction_bytes").get<std::int64_t>() ==
                         row.number("tx_counted"));
      const std::vector<verify::TmaRun> runs = runs_of(answer);
      require_maximal(runs);
      const TensorMap map = golden::tensor_map(row, 0);
      const golden::Filled source = golden::load_source(row);
      const std::size_t dst = row.unsigned_number("dst"), size = row.unsigned_number("len");
      std::vector<std::uint8_t> image(size, 0xCD);
      for (const verify::TmaRun& run : runs) {
        for (std::int64_t i = 0; i < run.length && dst + run.to + i < size; ++i) {
          image[dst + run.to + i] =
              run.from == verify::kFill
                  ? fill_byte(map.oob_fill, dst + run.to + i)
                  : source.loaded_byte(map.data_type, row.unsigned_number("goff") + run.from + i);
        }
      }
      BOOST_TEST_REQUIRE((image == std::vector<std::uint8_t>(row.piece(), row.piece() + size)));
    }
  });
}

BOOST_AUTO_TEST_CASE(runs_of_captured_stores_give_the_captured_bytes) {
  const golden::Table table = golden::load("h200/tma_store");
  golden::for_each_row(table, [&](const golden::Row& row) {
    Question question = with_copy(question_of(row, 0x10000000), row, "src");
    question["operation"] = row.text("op");
    const Answer answer = ask("tma.store", question);
    BOOST_TEST_CONTEXT("record " << row.id()) {
      BOOST_TEST_REQUIRE(answer.at("outcome").get<std::string>() == row.text("result"));
      if (row.text("result") != "ok" || row.text("op") != "store") return;
      const golden::Filled source{
          row.text("fill") == "special" ? golden::Filled::specials : golden::Filled::hashes,
          golden::kStoreSeed};
      const std::size_t size = row.unsigned_number("len");
      std::vector<std::uint8_t> window(size, 0xCD);
      const std::vector<verify::TmaRun> runs = runs_of(answer);
      require_maximal(runs);
      for (const verify::TmaRun& run : runs) {
        for (std::int64_t i = 0; i < run.length; ++i) {
          window.at(row.number("goff") - row.number("win_off") + run.to + i) =
              source.byte(row.unsigned_number("src") + run.from + i);
        }
      }
      BOOST_TEST_REQUIRE((window == std::vector<std::uint8_t>(row.piece(), row.piece() + size)));
    }
  });
}

BOOST_AUTO_TEST_CASE(overlapping_rows_of_a_store_are_all_listed) {
  Question question = plain_question();
  question["swizzle"] = "none";
  question["global_strides"] = {64};
  question["coordinates"] = {0, 0};
  const Answer answer = ask("tma.store", question);
  std::int64_t bytes = 0;
  for (const Answer& run : answer.at("runs")) bytes += run.at(1).get<std::int64_t>();
  BOOST_TEST(answer.at("runs").size() == 8u);
  BOOST_TEST(bytes == 8 * 128);
}

BOOST_AUTO_TEST_CASE(ranks_that_no_tensor_has_are_findings) {
  for (const int rank : {0, 6, 16}) {
    Question question = plain_question();
    question["global_dim"] = std::vector<int>(rank, 16);
    for (const char* op : {"tensor_map.check", "tma.load", "tma.store"}) {
      const Answer answer = ask(op, question);
      if (answer.contains("accepted")) BOOST_TEST(!answer.at("accepted").get<bool>());
      if (answer.contains("outcome"))
        BOOST_TEST(answer.at("outcome").get<std::string>() == "refused");
    }
  }
}

BOOST_AUTO_TEST_CASE(questions_that_are_not_well_formed) {
  struct Case {
    const char* op;
    const char* field;
    Question value;  ///< discarded: take the field away
  };
  const Question missing(Question::value_t::discarded);
  const Case kCases[] = {
      {"tensor_map.check", "arch", missing},
      {"tensor_map.check", "data_type", missing},
      {"tensor_map.check", "box_dim", missing},
      {"tensor_map.check", "global_strides", missing},
      {"tensor_map.check", "swizzle", missing},
      {"tensor_map.check", "data_type", "f17"},
      {"tensor_map.check", "swizzle", "128b"},
      {"tensor_map.check", "swizzle", 3},
      {"tensor_map.check", "box_dim", {64, 8, 1}},
      {"tensor_map.check", "box_dim", {64, -8}},
      {"tensor_map.check", "box_dim", {64, 8.5}},
      {"tensor_map.check", "box_dim", "64"},
      {"tensor_map.check", "global_strides", Question::array()},
      {"tensor_map.check", "global_dim", std::vector<int>(1000, 1)},
      {"tensor_map.check", "global_address", "0x10000000000000000"},
      {"tma.load", "coordinates", {0}},
      {"tma.load", "coordinates", {0, 2147483648}},
      {"tma.load", "smem_address", "0x100000000"},
      {"tma.load", "smem_address", missing},
      {"tma.store", "operation", "mul"},
  };
  for (const Case& c : kCases) {
    Question question = plain_question();
    if (c.value.is_discarded()) {
      question.erase(c.field);
    } else {
      question[c.field] = c.value;
    }
    BOOST_TEST_CONTEXT(c.op << " " << c.field) {
      BOOST_CHECK_THROW(ask(c.op, question), verify::Error);
    }
  }
}

BOOST_AUTO_TEST_CASE(boxes_that_nothing_holds_are_refused_before_any_memory_is_taken) {
  // The encoder takes floor(7 / 8) = 0 steps and accepts; the hardware would take one.
  Question question = Question::parse(R"({"arch":"sm_90","data_type":"f64",
    "global_address":"0x10000000","global_dim":[4294967296,256,256,256,256],
    "global_strides":[1024,1024,1024,1024],"box_dim":[256,256,256,256,7],
    "element_strides":[1,1,1,1,8],"interleave":"none","swizzle":"none","l2_promotion":"none",
    "oob_fill":"zero","coordinates":[0,0,0,0,0],"smem_address":1024})");
  BOOST_TEST(ask("tensor_map.check", question).at("accepted").get<bool>());
  BOOST_CHECK_THROW(ask("tma.load", question), verify::Error);
  BOOST_CHECK_THROW(ask("tma.store", question), verify::Error);
  question["box_dim"] = {2, 2, 2, 2, 2};
  question["coordinates"] = {0, 0, 0, 0, 2147483647};
  question["global_dim"][4] = 4294967296;
  question["global_strides"][3] = 1099511627760;
  BOOST_CHECK_THROW(ask("tma.load", question), verify::Error);  // 2^31 * 2^40 bytes away
  question["global_dim"][4] = 3;
  BOOST_TEST(ask("tma.load", question).at("runs").size() == 1u);  // all fill
}

BOOST_AUTO_TEST_CASE(im2col_calls_by_name) {
  const golden::Table table = golden::load("h200/tmap_im2col");
  golden::for_each_row(table, [&](const golden::Row& row) {
    const TensorMap map = golden::tensor_map(row, row.unsigned_number("addr"));
    if (!has_known_kinds(map) || map.rank > kMaxRank) return;
    Question question = question_of(row, row.unsigned_number("addr"));
    question.erase("box_dim");
    for (const char* corner : {"lower", "upper"}) {
      Question list = Question::array();
      for (int i = 0; i + 2 < map.rank; ++i) {
        list.push_back(row.number(golden::indexed(corner[0] == 'l' ? "lo" : "hi", i)));
      }
      question[std::string("pixel_box_") + corner] = list;
    }
    question["channels_per_pixel"] = row.number("channels");
    question["pixels_per_column"] = row.number("pixels");
    BOOST_TEST_CONTEXT("record " << row.id()) {
      const Answer answer = ask("tensor_map.check_im2col", question);
      BOOST_TEST_REQUIRE(answer.at("accepted").get<bool>() == (row.number("result") == 0));
      BOOST_TEST_REQUIRE(answer.contains("tensor_map") == (row.number("result") == 0));
    }
  });
}

BOOST_AUTO_TEST_SUITE_END()
