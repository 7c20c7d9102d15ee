#pragma once

#include <span>
#include <string>
#include <vector>

#include "verify/json.h"
#include "verify/text.h"

namespace lc::verify {

/// What an option's value becomes in the question: a string (numbers too, "0x…" or decimal), a
/// list of strings from "64,16", true, or a list of the values of an option that may stand several
/// times.
enum class OptionKind : unsigned char { text, list, flag, many };

/// One option of a command; `--start-address 0x400` becomes `"start_address": "0x400"`.
struct OptionRow {
  const char* option;  ///< "--start-address"
  OptionKind kind;
  const char* value;  ///< what the help prints for the value: "BYTES"
  const char* help;
};

/// One command of `layout-check`.  The command line is turned into a question, a JSON object of the
/// fields that were given; `run` answers it and returns the exit code (0 holds, 1 differs or is
/// illegal).  It throws `Error` for a question it cannot answer (exit 2).
struct Command {
  const char* name;
  const char* summary;     ///< the question it answers
  const char* example;     ///< copyable command lines
  const char* positional;  ///< field of the values without an option; nullptr: none
  bool repeated;           ///< the positional field is a list
  std::vector<OptionRow> options;
  int (*run)(const Question& question, const Output& output);
};

// One function per command, each in a file of its own.
Command banks_command();
Command batch_command();
Command check_command();
Command decode_command();
Command describe_command();
Command gemm_command();
Command map_command();
Command match_command();
Command run_command();
Command tma_command();

/// Every command, in the order of `--help`.
std::vector<Command> all_commands();

/// `start_address` of `--start-address`.
std::string field_of_option(const char* option);

/// Options that several commands share.
std::vector<OptionRow> joined(std::initializer_list<std::vector<OptionRow>> groups);
std::vector<OptionRow> operand_options();     ///< arch, major, element, container, mn, k
std::vector<OptionRow> tensor_map_options();  ///< the arguments of cuTensorMapEncodeTiled
std::vector<OptionRow> copy_options();        ///< coordinates, smem_address

/// Fills what a person leaves out of a copy on the command line: an address, coordinates 0, element
/// strides 1, no interleave, swizzle, promotion, zero fill.
void default_copy(Question& question);

/// Runs an op and, in JSON mode, prints its answer with the op's name in front.
Answer answer_op(const char* op, const Question& question, const Output& output);

}  // namespace lc::verify
