// What memory gives each side: that all of it is read and counted, not how fast that is.
#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <stdexcept>
#include <thread>
#include <utility>

#include <duoblas/error.hpp>

#include "cpu/cpu_limits.hpp"
#include "gpu/gpu_side.hpp"
#include "support/temporary_directory.hpp"
#include "tuner/cpu_reader.hpp"
#include "tuner/device_reader.hpp"
#include "tuner/machine_bandwidth.hpp"

namespace duoblas {
namespace {

constexpr std::size_t some_bytes = std::size_t{3} << 20;

SideCores all_cores(int threads) {
  return {allowed_cores(), threads};
}

TEST(ReadMemory, IsFilledByAllThreadsAndSaysWhatItAddsUpTo) {
  for (const int threads : {1, 2, 3}) {
    const ReadMemory memory(some_bytes, all_cores(threads));
    ASSERT_EQ(memory.bytes(), some_bytes);
    for (const auto& [first, count] : {std::pair<std::size_t, std::size_t>{0, memory.count()},
                                       {1, 1},
                                       {5, 0},
                                       {memory.count() / 2, memory.count() / 2}}) {
      std::uint32_t sum = 0;
      for (std::size_t i = first; i < first + count; ++i) sum += memory.numbers()[i];
      EXPECT_EQ(ReadMemory::sum(first, count), sum) << first << " " << count;
    }
  }
}

TEST(ReadMemory, IsLargerThanCachesAndNotTooLarge) {
  EXPECT_GT(bytes_beyond_caches(), std::size_t{16} << 20);
  EXPECT_LE(bytes_beyond_caches(), std::size_t{1} << 30);
}

TEST(CpuReadingRate, IsOfAsManyThreadsAsAreGivenAndEndsWithWhatIsDoneMeanwhile) {
  const ReadMemory memory(some_bytes, all_cores(1));
  for (const int threads : {1, 3}) {
    int calls = 0;
    const double rate = cpu_reading_rate(memory, 64, memory.count() - 64, all_cores(threads), [&] {
      ++calls;
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    });
    EXPECT_EQ(calls, 1);
    EXPECT_GT(rate, 0);
    EXPECT_LT(rate, 1e13);
  }
  EXPECT_EQ(cpu_reading_rate(memory, 0, 0, all_cores(2), [] {}), 0) << "there is nothing to read";
}

TEST(CpuReadingRate, EndsItsThreadsWhereSomethingIsThrownMeanwhile) {
  const ReadMemory memory(some_bytes, all_cores(1));
  EXPECT_THROW(cpu_reading_rate(memory, 0, memory.count(), all_cores(2),
                                [] { throw std::runtime_error("no"); }),
               std::runtime_error);
}

class OnDevice : public ::testing::Test {
 protected:
  Settings settings() const {
    Settings settings;
    settings.standin = true;
    settings.cache_dir = directory_ / "cache";
    return settings;
  }

  test::TemporaryDirectory directory_;
  Engine engine_{settings()};
};

TEST_F(OnDevice, EveryFormReadsAllOfIt) {
  ASSERT_NE(engine_.gpu(), nullptr) << engine_.facts().gpu_problem();
  OpenedDevice& device = *engine_.gpu()->device();
  const ReadMemory memory(some_bytes, all_cores(1));
  DeviceReader reader(device, "");
  EXPECT_EQ(reader.most_bytes(some_bytes + 1), some_bytes);
  EXPECT_GT(reader.own_rate(memory, some_bytes), 0);
  EXPECT_GT(reader.copied_rate(memory, some_bytes), 0);
  EXPECT_GT(reader.launch_seconds(), 0);
  ASSERT_TRUE(reader.bind_in_place(memory, memory.count()));
  EXPECT_GT(reader.in_place_rate(1e-3, memory.count()), 0);
  EXPECT_GT(reader.in_place_rate(1e-3, 4096), 0);
}

TEST_F(OnDevice, NoRateIsBelievedOfMemoryThatHoldsSomethingElse) {
  ASSERT_NE(engine_.gpu(), nullptr) << engine_.facts().gpu_problem();
  const ReadMemory memory(some_bytes, all_cores(1));
  DeviceReader reader(*engine_.gpu()->device(), "");
  ++memory.numbers()[77];
  EXPECT_THROW(reader.own_rate(memory, some_bytes), DeviceError);
}

TEST_F(OnDevice, AllRatesOfAMachineAreMeasured) {
  ASSERT_NE(engine_.gpu(), nullptr) << engine_.facts().gpu_problem();
  const MemoryRates rates = measure_memory_rates(engine_);
  EXPECT_TRUE(rates.are_known());
  EXPECT_TRUE(rates.in_place) << "PoCL shares";
  EXPECT_GT(rates.cpu, 0);
  EXPECT_GT(rates.both(), 0);
  EXPECT_GT(rates.launch_seconds, 0);
}

TEST(MemoryRatesOf, AMachineWithoutADeviceAreTheCpusAlone) {
  Settings settings;
  settings.device = "none";
  Engine engine(settings);
  const MemoryRates rates = measure_memory_rates(engine);
  EXPECT_GT(rates.cpu_all, 0);
  EXPECT_EQ(rates.gpu, 0);
  EXPECT_FALSE(rates.are_known());
}

}  // namespace
}  // namespace duoblas
