// Processes that lack what a driver needs.
#include "opencl/driver_needs.hpp"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>

#include "opencl/driver_quirks.hpp"
#include "support/comes_true.hpp"
#include "support/first_device.hpp"
#include "support/temporary_directory.hpp"

namespace duoblas::cl {
namespace {

Device linking_device() {
  Device device = test::first_device();
  device.info.platform = "Portable Computing Language";
  return device;
}

// Ends the process, with 0 if `missing` speaks of `what`; of nothing if that is empty.
[[noreturn]] void end_if_missing(const std::string& missing, const std::string& what) {
  const bool right = what.empty() ? missing.empty() : missing.find(what) != std::string::npos;
  if (!right) std::fprintf(stderr, "\"%s\" instead of \"%s\"\n", missing.c_str(), what.c_str());
  ::_exit(right ? 0 : 1);
}

// PoCL, which has started with another one, has no device without a cache.
[[noreturn]] void build_in(const std::string& cache, const std::string& what) {
  const Device device = linking_device();
  ::setenv("POCL_CACHE_DIR", cache.c_str(), 1);
  end_if_missing(missing_to_build(device), what);
}

[[noreturn]] void build_with_sigchld(void (*handler)(int), int flags, const std::string& what) {
  struct sigaction action {};
  action.sa_handler = handler;
  action.sa_flags = flags;
  ::sigaction(SIGCHLD, &action, nullptr);
  end_if_missing(missing_to_build(linking_device()), what);
}

// A copy of PoCL may bring a linker of its own, so the driver is one that is installed.
[[noreturn]] void build_without_path() {
  ::unsetenv("OCL_ICD_VENDORS");
  const Device device = test::first_device();
  ::unsetenv("PATH");
  const bool links = quirks_of(device.info).links_by_program;
  end_if_missing(missing_to_build(device), links ? "ld" : "");
}

bool is_left_out(const Device& device) {
  try {
    require_what_builds_need(device);
    return false;
  } catch (const DriverLeftOut&) {
    return true;
  }
}

[[noreturn]] void build_beside_a_thread_that_waits_for_any_child() {
  const Device device = linking_device();
  if (is_left_out(device)) ::_exit(1);
  std::thread([] {
    while (true)
      if (::waitpid(-1, nullptr, 0) < 0) std::this_thread::yield();
  }).detach();
  ::_exit(test::comes_true([&] { return is_left_out(device); }) ? 0 : 2);
}

// Each in a process of its own, whose signals and environment it changes.
class DriverNeeds : public testing::Test {
 protected:
  DriverNeeds() {
    testing::FLAGS_gtest_death_test_style = "threadsafe";
    ::setenv("POCL_CACHE_DIR", folder_.path().c_str(), 1);
  }
  test::TemporaryDirectory folder_;
};

TEST_F(DriverNeeds, AreThereAsARule) {
  EXPECT_EXIT(build_in(folder_ / "not/yet/made", ""), testing::ExitedWithCode(0), "");
}

TEST_F(DriverNeeds, IncludeACacheThatCanBeWritten) {
  EXPECT_EXIT(build_in("/dev/null/nowhere", "cannot be written"), testing::ExitedWithCode(0), "");
}

TEST_F(DriverNeeds, IncludeTheStatusOfItsChildren) {
  EXPECT_EXIT(build_with_sigchld(SIG_IGN, 0, "SIGCHLD"), testing::ExitedWithCode(0), "");
  EXPECT_EXIT(build_with_sigchld(SIG_DFL, SA_NOCLDWAIT, "status"), testing::ExitedWithCode(0), "");
  EXPECT_EXIT(build_beside_a_thread_that_waits_for_any_child(), testing::ExitedWithCode(0), "");
}

TEST_F(DriverNeeds, IncludeALinker) {
  EXPECT_EXIT(build_without_path(), testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace duoblas::cl
