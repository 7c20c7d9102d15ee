#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "verify/json.h"
#include "verify/request.h"

namespace lc::verify {

/// One question `batch` answers.  `run` gets the question and returns the answer's fields (without
/// id, op and ok); it throws `Error` when the question is not well formed.
struct Op {
  const char* name;
  const char* input;   ///< fields of the question, as `batch --list` prints them
  const char* answer;  ///< fields of the answer
  Answer (*run)(const Request&);
};

// One function per family, each in a file of its own.
std::span<const Op> smem_descriptor_ops();
std::span<const Op> operand_ops();
std::span<const Op> instruction_descriptor_ops();
std::span<const Op> bank_ops();
std::span<const Op> tmem_ops();
std::span<const Op> mbarrier_ops();
std::span<const Op> tensor_map_ops();
std::span<const Op> tma_ops();
std::span<const Op> match_ops();
std::span<const Op> word_ops();

/// Every op, in the order of `batch --list`.
std::vector<Op> all_ops();
const Op* find_op(const std::string& name);

/// Runs one op; fields nobody asked for become a note in `findings`.
Answer run_op(const Op& op, const Question& question);

// Words and addresses as the answers spell them.
std::string hex64(std::uint64_t word);
std::string hex32(std::uint32_t word);

}  // namespace lc::verify
