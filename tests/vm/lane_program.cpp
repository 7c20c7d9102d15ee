#include "tests/vm/lane_program.h"

namespace lc {

std::string lane_program(const std::string& body, const std::string& before) {
  return kernel(".param .u64 out, .param .u64 in",
                R"(
  .reg .pred p<8>; .reg .b16 h<8>; .reg .b32 r<32>; .reg .b64 d<32>; .reg .b128 q<4>;
  .shared .align 1024 .b8 s[4096];
  mov.u32 r0, %tid.x;
  ld.param.u64 d28, [in];
)" + body + R"(
  mov.u32 r31, %ctaid.x;
  mov.u32 r30, %ntid.x;
  mad.lo.u32 r31, r31, r30, r0;
  mul.wide.u32 d30, r31, 8;
  ld.param.u64 d29, [out];
  add.u64 d30, d30, d29;
  st.global.u64 [d30], d0;
  ret;)",
                before);
}

std::vector<std::uint64_t> results_of(Guest& guest, const LaneRun& how) {
  const std::size_t count = std::size_t{how.threads} * how.ctas;
  const std::uint64_t out = guest.buffer<std::uint64_t>(count);
  machine::Launch launch = guest.launch({how.threads, 1, 1}, {out, how.parameter});
  launch.grid = {how.ctas, 1, 1};
  launch.cluster = {how.cluster, 1, 1};
  launch.explicit_cluster = how.cluster > 1;
  guest.run(launch);
  return guest.read<std::uint64_t>(out, count);
}

std::vector<std::uint64_t> results_of(const std::string& body, const LaneRun& how) {
  Guest guest(lane_program(body, how.before), how.options);
  return results_of(guest, how);
}

std::string rule_of(const std::string& body, const LaneRun& how) {
  try {
    results_of(body, how);
  } catch (const machine::Fault& fault) {
    return fault.rule;
  } catch (const ptx::ParseError&) {
    return "parse";
  }
  return "none";
}

}  // namespace lc
