// Private instances of the CPU BLAS: threads, core types, and a host that stays as it was.
#include "cpu/blas_instance.hpp"

#include <gtest/gtest.h>
#include <sched.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <set>

#include <duoblas/error.hpp>

#include "cpu/core_type.hpp"
#include "cpu/cpu_limits.hpp"
#include "cpu/cpu_side.hpp"
#include "os/fork_state.hpp"
#include "os/link_namespace.hpp"

namespace duoblas {
namespace {

BlasInstance& instance_of(const InstanceRequest& request) {
  const ForkGuard work;
  return blas_instance(request);
}

InstanceRequest request_of(int threads, const std::string& core_type = "") {
  InstanceRequest request;
  request.threads = threads;
  request.core_type = core_type;
  return request;
}

BlasInstance& instance_of(int threads, const char* core_type = "") {
  return instance_of(request_of(threads, core_type));
}

std::vector<std::string> environment() {
  std::vector<std::string> entries;
  for (char** entry = environ; *entry != nullptr; ++entry) entries.emplace_back(*entry);
  return entries;
}

std::set<int> tasks() {
  std::set<int> ids;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/task"))
    ids.insert(std::stoi(entry.path().filename()));
  return ids;
}

// OpenBLAS ends a program by SIGINT where it cannot start a thread (ulimit -u, a container). Where
// it is no private copy, its environment is the program's, and so is their number.
TEST(BlasInstance, HasTheThreadsThatCanBeStarted) {
  if (!link_namespaces_supported()) return;
  testing::FLAGS_gtest_death_test_style = "threadsafe";
  const auto load = [] {
    const rlimit none{0, 0};
    ::setrlimit(RLIMIT_NPROC, &none);
    constexpr uid_t nobody = 65534;
    if (::getuid() == 0 && ::setuid(nobody) != 0) ::_exit(2);  // root has no limit
    ::_exit(instance_of(2).threads() == 1 ? 0 : 1);
  };
  EXPECT_EXIT(load(), testing::ExitedWithCode(0), "");
}

TEST(BlasInstance, LeavesTheHostsEnvironmentAsItWas) {
  setenv("OPENBLAS_CORETYPE", "Prescott", 1);
  setenv("OPENBLAS_NUM_THREADS", "1", 1);
  setenv("OMP_NUM_THREADS", "7", 1);
  setenv("GOTO_NUM_THREADS", "3", 1);
  const auto before = environment();
  char** const array = environ;
  instance_of(2);
  EXPECT_EQ(environ, array);
  EXPECT_EQ(environment(), before);
}

TEST(BlasInstance, HasAFastCoreTypeWhateverTheEnvironmentSays) {
  setenv("OPENBLAS_CORETYPE", "Prescott", 1);
  const BlasInstance& instance = instance_of(1);
  EXPECT_EQ(instance.is_private(), link_namespaces_supported());
  if (instance.is_private()) {
    EXPECT_EQ(better_core_type(instance.core_name(), vector_extensions()), "")
        << instance.core_name();
  }
}

TEST(BlasInstance, HasTheThreadsThatWereAskedForWhateverTheEnvironmentSays) {
  setenv("OPENBLAS_NUM_THREADS", "1", 1);
  setenv("OMP_NUM_THREADS", "1", 1);
  // The library makes no more threads than the process has cores.
  const int most = static_cast<int>(allowed_cores().size());
  const BlasInstance& instance = instance_of(std::min(2, most));
  EXPECT_EQ(instance.threads(), std::min(2, most));
}

TEST(BlasInstance, OfTwoConfigurationsAreTwoWithTheirOwnThreads) {
  const int most = std::min(2, static_cast<int>(allowed_cores().size()));
  const BlasInstance& one = instance_of(1);
  const BlasInstance& two = instance_of(most, "Haswell");
  EXPECT_EQ(&one, &instance_of(1));
  if (link_namespaces_supported()) {
    EXPECT_NE(&one, &two);
    EXPECT_EQ(one.threads(), 1);
    EXPECT_EQ(two.threads(), most);
  }
}

TEST(BlasInstance, HasTheCoreTypeThatWasAskedFor) {
  const auto types = candidate_core_types(vector_extensions());
  const InstanceRequest request = request_of(1, types.empty() ? "Core2" : types.back());
  const BlasInstance& instance = instance_of(request);
  if (instance.is_private()) {
    EXPECT_EQ(instance.core_name(), request.core_type);
  }
}

TEST(BlasInstance, StartsItsWorkersOnItsCoresThoughTheLoadingThreadIsBoundElsewhere) {
  const std::vector<int> cores = allowed_cores();
  InstanceRequest request = request_of(static_cast<int>(cores.size()));
  request.cores = cores;
  const std::set<int> before = tasks();
  {
    const ScopedAffinity bound({cores.front()});
    instance_of(request);
  }
  for (const int id : tasks()) {
    if (before.count(id) != 0) continue;
    cpu_set_t set;
    ASSERT_EQ(sched_getaffinity(id, sizeof set, &set), 0);
    EXPECT_EQ(CPU_COUNT(&set), static_cast<int>(cores.size()));
  }
}

TEST(BlasInstance, BeyondTheLastNamespaceIsOneThatIsThere) {
  // Distinct requests, more than namespaces fit in a process.
  for (int i = 0; i < 20; ++i) {
    const BlasInstance& instance = instance_of(1, ("type" + std::to_string(i)).c_str());
    EXPECT_NE(instance.config(), "");
  }
}

TEST(BlasInstance, OfAMissingLibrarySaysWhatWasTriedAndWhatToInstall) {
  try {
    CpuSide(cpu_limits("", 0), "/nonexistent/libblas.so").prepare({});
    FAIL() << "no error";
  } catch (const CpuBlasError& error) {
    const std::string message = error.what();
    EXPECT_NE(message.find("/nonexistent/libblas.so"), std::string::npos) << message;
    EXPECT_NE(message.find("libopenblas0-pthread"), std::string::npos) << message;
    EXPECT_NE(message.find("DUOBLAS_CPU_BLAS"), std::string::npos) << message;
  }
}

TEST(BlasInstance, OfALibraryThatIsNoBlasSaysWhatItLacks) {
  CpuSide side(cpu_limits("", 0), "libm.so.6");
  for (int i = 0; i < 30; ++i) {  // more often than namespaces fit: none is lost
    try {
      side.prepare({});
      FAIL() << "no error";
    } catch (const CpuBlasError& error) {
      EXPECT_NE(std::string(error.what()).find("does not export cblas_sgemm"), std::string::npos);
    }
  }
  CpuSide good(cpu_limits("", 0), "");
  EXPECT_NE(good.description({}), "");
}

TEST(CpuSide, NeverTakesMoreThreadsThanTheLimits) {
  CpuLimits limits = cpu_limits("", 1);
  CpuSide side(limits, "");
  EXPECT_EQ(side.all_cores("").threads, 1);
  CpuConfig greedy = side.all_cores("");
  greedy.threads = 64;
  const std::set<int> before = tasks();
  side.prepare(greedy);
  if (link_namespaces_supported()) {
    EXPECT_EQ(tasks(), before);
  }
}

TEST(CpuSide, SaysWhichLibraryItUses) {
  CpuSide side(cpu_limits("", 0), "");
  EXPECT_TRUE(std::filesystem::is_regular_file(side.library_path())) << side.library_path();
  EXPECT_NE(side.description(side.all_cores("")), "");
}

}  // namespace
}  // namespace duoblas
