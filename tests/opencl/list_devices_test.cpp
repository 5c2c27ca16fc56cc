// Devices are listed alike for threads that ask at once.
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <thread>
#include <vector>

#include "opencl/device.hpp"

namespace duoblas::cl {
namespace {

// Ends the process: 0 if all threads are told of the same devices.
[[noreturn]] void ask_in_threads_at_once() {
  std::array<std::size_t, 4> devices{};
  std::atomic<std::size_t> ready{0};
  std::vector<std::thread> threads;
  for (std::size_t& found : devices)
    threads.emplace_back([&] {
      ++ready;
      while (ready < devices.size()) continue;
      found = list_devices().size();
    });
  for (std::thread& thread : threads) thread.join();
  const std::size_t all = list_devices().size();
  for (const std::size_t found : devices)
    if (found != all) ::_exit(1);
  ::_exit(all > 0 ? 0 : 2);
}

// In a process of its own, whose drivers nobody has asked yet.
TEST(ListDevices, IsTheSameForThreadsThatAskFirst) {
  testing::FLAGS_gtest_death_test_style = "threadsafe";
  EXPECT_EXIT(ask_in_threads_at_once(), testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace duoblas::cl
