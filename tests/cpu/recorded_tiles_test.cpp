// Tiles as a BLAS sees them: which calls it gets, on which threads and cores.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <fstream>
#include <set>
#include <sstream>
#include <utility>

#include "cpu/cpu_limits.hpp"
#include "cpu/cpu_side.hpp"
#include "os/link_namespace.hpp"
#include "row_major_front.hpp"
#include "support/temporary_directory.hpp"

namespace duoblas {
namespace {

struct BlasCall {
  std::int64_t m = 0, n = 0, k = 0;
  std::uintptr_t c = 0;
  long task = 0;
  int cores = 0;  ///< how many the calling thread may run on
  int first_core = 0;
  int threads = 0;
};

// The library takes its environment when it is loaded: one log for the process.
const test::TemporaryDirectory& directory() {
  static const test::TemporaryDirectory created;
  return created;
}
std::string log_file() {
  return directory() / "log";
}
// While it exists, calls wait until as many have begun as it says.
std::string together_file() {
  return directory() / "together";
}

CpuSide& recorder() {
  static auto* const side = [] {
    setenv("DUOBLAS_LAYER_LOG", log_file().c_str(), 1);
    setenv("DUOBLAS_RECORD_DETAILS", "1", 1);
    setenv("DUOBLAS_RECORD_TOGETHER", together_file().c_str(), 1);
    CpuLimits limits = cpu_limits("", 0);
    limits.threads = 4;
    return new CpuSide(limits, RECORDING_BLAS);
  }();
  return *side;
}

CpuConfig four_threads() {
  CpuConfig config = recorder().all_cores("");
  config.tiles = true;
  return config;
}

std::vector<BlasCall> calls_of(const GemmProblem& p, const CpuConfig& config) {
  CpuSide& side = recorder();
  std::ofstream(log_file(), std::ios::trunc);
  side.run(p, config);
  std::ifstream lines(log_file());
  std::vector<BlasCall> calls;
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string word, what;
    BlasCall call;
    words >> word >> word >> call.m >> call.n >> call.k >> what;
    if (what != "begin") continue;
    const auto value = [&] { return words >> word, word.substr(word.find('=') + 1); };
    call.c = std::stoull(value());
    call.task = std::stol(value());
    call.cores = std::stoi(value());
    call.first_core = std::stoi(value());
    call.threads = std::stoi(value());
    calls.push_back(call);
  }
  return calls;
}

// Of the last product: how many calls had begun and not ended at the same time.
int most_calls_at_once() {
  std::ifstream lines(log_file());
  int now = 0, most = 0;
  for (std::string line; std::getline(lines, line);) {
    now += line.find(" begin") != std::string::npos ? 1 : -1;
    most = std::max(most, now);
  }
  return most;
}

struct Matrices {
  std::int64_t m, n, k;
  std::vector<float> a = std::vector<float>(static_cast<std::size_t>(m * k), 0.5f);
  std::vector<float> b = std::vector<float>(static_cast<std::size_t>(k * n), 2.0f);
  std::vector<float> c = std::vector<float>(static_cast<std::size_t>(m * n), 3.0f);

  GemmProblem product() {
    GemmProblem p;
    p.m = m;
    p.n = p.ldb = p.ldc = n;
    p.k = p.lda = k;
    p.a = a.data();
    p.b = b.data();
    p.beta = 2.0;
    p.c = c.data();
    return p;
  }
};

TEST(RecordedTiles, AreCallsThatHaveEveryElementOnceAndAllOfK) {
  for (const auto& [m, n] : {std::pair{500, 430}, {5, 2000}, {2000, 5}, {1, 1}, {130, 130}}) {
    Matrices matrices{m, n, 50};
    const auto calls = calls_of(matrices.product(), four_threads());
    std::vector<int> times(matrices.c.size());
    for (const BlasCall& call : calls) {
      EXPECT_EQ(call.k, 50);
      const auto first =
          (call.c - reinterpret_cast<std::uintptr_t>(matrices.c.data())) / sizeof(float);
      for (std::int64_t i = 0; i < call.m; ++i)
        for (std::int64_t j = 0; j < call.n; ++j)
          ++times.at(first + static_cast<std::size_t>(i * n + j));
    }
    EXPECT_EQ(times, std::vector<int>(times.size(), 1)) << m << " x " << n;
    EXPECT_EQ(matrices.c, std::vector<float>(times.size(), 56.0f));  // 50 * 0.5 * 2 + 2 * 3
  }
}

TEST(RecordedTiles, AreHandedToAllThreadsOfWhichTheCallingOneIsOneWithOneThreadForEachCall) {
  Matrices matrices{700, 700, 60};
  // On a busy machine one thread may be done with all before another one runs.
  std::ofstream(together_file()) << 4;
  const auto calls = calls_of(matrices.product(), four_threads());
  EXPECT_EQ(most_calls_at_once(), 4);
  ASSERT_GE(calls.size(), 4u);
  std::set<long> tasks;
  for (std::size_t first = 0; first < 4; ++first) tasks.insert(calls[first].task);
  EXPECT_EQ(tasks.size(), 4u);
  EXPECT_EQ(tasks.count(gettid()), 1u);
  // The library at hand, which sanitizers leave us, has the environment of the test.
  if (link_namespaces_supported()) {
    for (const BlasCall& call : calls) EXPECT_EQ(call.threads, 1);
  }
}

TEST(RecordedTiles, KeepToTheCoresOfTheConfigurationThoughTheCallingThreadIsBoundElsewhere) {
  const std::vector<int> allowed = allowed_cores();
  CpuConfig config = four_threads();
  config.cores = {allowed.back()};
  config.threads = 3;
  Matrices matrices{700, 700, 30};
  const ScopedAffinity elsewhere({allowed.front()});
  for (const BlasCall& call : calls_of(matrices.product(), config)) {
    EXPECT_EQ(call.cores, 1);
    EXPECT_EQ(call.first_core, allowed.back());
  }
  for (const BlasCall& call : calls_of(matrices.product(), four_threads()))
    EXPECT_EQ(call.cores, static_cast<int>(allowed.size()));
}

TEST(RecordedTiles, OfOneThreadAreOneCall) {
  CpuConfig config = four_threads();
  config.threads = 1;
  Matrices matrices{400, 400, 20};
  const auto calls = calls_of(matrices.product(), config);
  ASSERT_EQ(calls.size(), 1u);
  EXPECT_EQ(calls[0].task, gettid());
}

TEST(RecordedTiles, NeverTakeMoreThreadsThanTheLimits) {
  CpuConfig config = four_threads();
  config.threads = 64;
  Matrices matrices{900, 900, 40};
  std::ofstream(together_file()) << 4;
  calls_of(matrices.product(), config);
  EXPECT_EQ(most_calls_at_once(), 4);
}

TEST(RecordedTiles, ApplyBetaOnceWhereKIsInPieces) {
  // A leading dimension over 32 bits would need a matrix of 8 GiB; that of one row is never used.
  Matrices matrices{1, 3000, 64};
  GemmProblem p = matrices.product();
  p.lda = std::int64_t{1} << 32;
  calls_of(p, four_threads());
  EXPECT_EQ(matrices.c, std::vector<float>(matrices.c.size(), 70.0f));
}

}  // namespace
}  // namespace duoblas
