#include "cpu/core_type_probe.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <sstream>
#include <vector>

#include "cpu/core_type.hpp"
#include "cpu/cpu_side.hpp"
#include "cpu/fork_state.hpp"
#include "cpu/instance_registry.hpp"

namespace duoblas {
namespace {

using Clock = std::chrono::steady_clock;
// A child needs about 0.1 s; what takes this long hangs.
constexpr std::chrono::seconds time_out{10};

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
    const auto start = Clock::now();
    instance.gemm(p);
    const double seconds = std::chrono::duration<double>(Clock::now() - start).count();
    if (run > 0) best = std::min(best, seconds);
  }
  return flops(p) / best / 1e9;
}

// What the child prints until it ends or the time is out, when it is killed. Empty where it fails.
std::string output_of(const std::vector<std::string>& command) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return "";
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  std::vector<char*> arguments;
  for (const std::string& word : command) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  pid_t child = 0;
  const int error = posix_spawn(&child, arguments[0], &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  close(ends[1]);
  std::string text;
  const auto deadline = Clock::now() + time_out;
  while (error == 0) {
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now()).count();
    pollfd waiting{ends[0], POLLIN, 0};
    const int ready = left <= 0 ? 0 : poll(&waiting, 1, static_cast<int>(left));
    if (ready < 0 && errno == EINTR) continue;
    if (ready == 0) {
      kill(child, SIGKILL);
      text.clear();
      break;
    }
    std::array<char, 256> bytes;
    const ssize_t got = read(ends[0], bytes.data(), bytes.size());
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    text.append(bytes.data(), static_cast<std::size_t>(got));
  }
  close(ends[0]);
  int status = 0;
  if (error != 0) return "";
  while (waitpid(child, &status, 0) < 0) {
    if (errno != EINTR) return text;  // the host ignores SIGCHLD: the status is lost
  }
  return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? text : "";
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
  const ActiveWork work;
  BlasInstance& instance = blas_instance(request);
  std::ostringstream line;
  line << (instance.core_name().empty() ? "-" : instance.core_name()) << ' '
       << gflops<float>(instance) << ' ' << gflops<double>(instance);
  return line.str();
}

std::vector<CoreTypeFinding> probe_core_types(const std::string& library,
                                              const std::string& helper_program) {
  std::vector<CoreTypeFinding> findings;
  if (helper_program.empty()) return findings;
  std::vector<std::string> types = {""};
  for (std::string& type : candidate_core_types(vector_extensions())) types.push_back(type);
  for (const std::string& type : types) {
    CoreTypeFinding finding;
    finding.core_type = type;
    if (!parse(output_of({helper_program, core_type_probe_argument, library, type}), finding)) {
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
