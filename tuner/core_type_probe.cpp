#include "tuner/core_type_probe.hpp"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <optional>
#include <sstream>
#include <vector>

#include <duoblas/error.hpp>

#include "cpu/blas_instance.hpp"
#include "cpu/core_type.hpp"
#include "os/child_process.hpp"
#include "os/fork_state.hpp"
#include "timing/stopwatch.hpp"

namespace duoblas {
namespace {

using Clock = std::chrono::steady_clock;

// Best of eight after one to warm up: the least disturbed run says what the kernels can do. At
// n = 512 all operands fit the L2 and L3 caches of any processor with these core types.
template <typename T>
double gflops(BlasInstance& instance) {
  constexpr std::int64_t n = 512;
  std::vector<T> a(n * n, T(0.5)), b(n * n, T(0.25)), c(n * n);
  GemmProblem p;
  p.precision = precision_of<T>;
  p.m = p.n = p.k = p.lda = p.ldb = p.ldc = n;
  p.a = a.data();
  p.b = b.data();
  p.c = c.data();
  double best = 1e30;
  for (int run = 0; run <= 8; ++run) {
    const double seconds = seconds_of([&] { instance.gemm(p); });
    if (run > 0) best = std::min(best, seconds);
  }
  return flops(p) / best / 1e9;
}

// What the child prints until it ends. It is killed after the time-out. Empty if it fails.
std::string output_of(const std::vector<std::string>& command, std::chrono::seconds time_out) {
  std::optional<ChildProcess> child;
  try {
    child.emplace(command);
  } catch (const Error&) {
    return "";  // the caller does without what it asks for
  }
  std::string text;
  const auto deadline = Clock::now() + time_out;
  while (true) {
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now()).count();
    if (left <= 0) return "";
    if (!child->has_output(static_cast<int>(left))) continue;
    if (!child->receive(text)) break;
  }
  const ProcessEnd end = child->end();
  const bool unknown = !end.exit_code && !end.signal;  // the host ignores SIGCHLD
  return unknown || end.exit_code == 0 ? text : "";
}

bool parse(const std::string& line, CoreTypeFinding& finding) {
  std::istringstream fields(line);
  if (!(fields >> finding.core_name >> finding.sgemm_gflops >> finding.dgemm_gflops)) return false;
  if (finding.core_name == "-") finding.core_name.clear();
  return finding.sgemm_gflops > 0 && finding.dgemm_gflops > 0;
}

}  // namespace

std::string run_core_type_probe(const std::string& library, const std::string& core_type) {
  InstanceRequest request;
  request.library = library;
  request.core_type = core_type;
  request.as_detected = core_type.empty();
  watch_forks();
  const ForkGuard work;
  BlasInstance& instance = blas_instance(request);
  std::ostringstream line;
  line << (instance.core_name().empty() ? "-" : instance.core_name()) << ' '
       << gflops<float>(instance) << ' ' << gflops<double>(instance);
  return line.str();
}

std::vector<CoreTypeFinding> probe_core_types(const std::string& library,
                                              const std::string& helper_program,
                                              std::chrono::seconds time_out) {
  std::vector<CoreTypeFinding> findings;
  if (helper_program.empty()) return findings;
  std::vector<std::string> types = {""};
  for (std::string& type : candidate_core_types(vector_extensions())) types.push_back(type);
  for (const std::string& type : types) {
    CoreTypeFinding finding;
    finding.core_type = type;
    const std::vector<std::string> child = {helper_program, core_type_probe_argument, library,
                                            type};
    if (!parse(output_of(child, time_out), finding)) {
      if (type.empty()) return findings;  // no helper, or no library
      continue;
    }
    // A library that does not know a type falls back to its own choice; a library without core
    // types has one name for all.
    const bool known = std::any_of(
        findings.begin(), findings.end(),
        [&](const CoreTypeFinding& earlier) { return earlier.core_name == finding.core_name; });
    if (!known) findings.push_back(std::move(finding));
  }
  return findings;
}

}  // namespace duoblas
