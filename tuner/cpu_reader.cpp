#include "tuner/cpu_reader.hpp"

#include <algorithm>
#include <atomic>
#include <new>
#include <thread>
#include <vector>

#include "cpu/topology.hpp"
#include "memory/host_memory.hpp"
#include "os/machine_facts.hpp"
#include "timing/stopwatch.hpp"

namespace duoblas {
namespace {

constexpr std::uint32_t factor = 2654435761U;  // bits that do not repeat with the index

// Long beside a look at the clock, short beside a measurement.
constexpr std::size_t chunk = std::size_t{1} << 18;

// The threads' parts, in whole vectors of a device.
struct Part {
  std::size_t first, count;
};

Part part_of(std::size_t first, std::size_t count, std::size_t threads, std::size_t i) {
  constexpr std::size_t unit = 64;
  const std::size_t each = (count / threads + unit - 1) / unit * unit;
  const std::size_t begin = std::min(count, i * each);
  return {first + begin, std::min(count - begin, each)};
}

// Sums that do not wait for each other: compilers make vectors of them.
std::uint32_t sum_of(const std::uint32_t* numbers, std::size_t count) {
  constexpr std::size_t lanes = 32;
  std::uint32_t sums[lanes] = {};
  std::size_t i = 0;
  for (; i + lanes <= count; i += lanes)
    for (std::size_t lane = 0; lane < lanes; ++lane) sums[lane] += numbers[i + lane];
  std::uint32_t sum = 0;
  for (; i < count; ++i) sum += numbers[i];
  for (const std::uint32_t of_lane : sums) sum += of_lane;
  return sum;
}

template <typename Work>
void in_threads(const SideCores& side, const Work& work) {
  std::vector<std::jthread> running;
  for (std::size_t i = 0; i < static_cast<std::size_t>(side.threads); ++i)
    running.emplace_back([&side, &work, i] {
      const ScopedAffinity place(place_of_thread(side, i));
      work(i);
    });
}

}  // namespace

std::size_t bytes_beyond_caches() {
  constexpr std::size_t least = std::size_t{256} << 20, most = std::size_t{1} << 30;
  const Topology& machine = topology();
  const auto caches = static_cast<std::size_t>(machine.l3_bytes > 0 ? machine.l3_bytes : 0) *
                      static_cast<std::size_t>(std::max(machine.packages, 1));
  const std::size_t memory = memory_bytes() > 0 ? memory_bytes() : most;
  const std::size_t wanted = std::min(std::clamp(4 * caches, least, most), memory / 8);
  return wanted / 4096 * 4096;
}

void ReadMemory::Freed::operator()(std::uint32_t* numbers) const noexcept {
  if (!cl::driver_hangs()) free_host(numbers);  // a device that hangs may go on reading
}

ReadMemory::ReadMemory(std::size_t bytes, const SideCores& side)
    : numbers_(static_cast<std::uint32_t*>(allocate_host(bytes))),
      count_(bytes / sizeof(std::uint32_t)) {
  if (!numbers_) throw std::bad_alloc();
  in_threads(side, [&](std::size_t i) {
    const Part part = part_of(0, count_, static_cast<std::size_t>(side.threads), i);
    for (std::size_t n = part.first; n < part.first + part.count; ++n)
      numbers_.get()[n] = static_cast<std::uint32_t>(n) * factor;
  });
}

// factor times the sum of the indices: one of count and the sum of both ends is even.
std::uint32_t ReadMemory::sum(std::size_t first, std::size_t count) {
  if (count == 0) return 0;
  std::uint64_t pairs = count, ends = 2 * std::uint64_t{first} + count - 1;
  (pairs % 2 == 0 ? pairs : ends) /= 2;
  return static_cast<std::uint32_t>(pairs * ends) * factor;
}

double cpu_reading_rate(const ReadMemory& memory, std::size_t first, std::size_t count,
                        const SideCores& side, const std::function<void()>& meanwhile) {
  const auto threads = static_cast<std::size_t>(side.threads);
  std::vector<double> rates(threads, 0);
  std::atomic<std::size_t> ready{0};
  std::atomic<bool> go{false}, over{false};
  // Whatever is thrown here, threads are told to end before they are waited for.
  struct Ending {
    std::atomic<bool>&go, &over;
    ~Ending() {
      over.store(true);
      go.store(true);
    }
  };
  {
    std::vector<std::jthread> running;
    const Ending ending{go, over};
    for (std::size_t i = 0; i < threads; ++i)
      running.emplace_back([&, i] {
        const ScopedAffinity place(place_of_thread(side, i));
        const Part part = part_of(first, count, threads, i);
        volatile std::uint32_t result = 0;  // what is not used need not be computed
        ready.fetch_add(1);
        while (!go.load()) std::this_thread::yield();
        const Stopwatch watch;
        std::size_t read = 0, at = 0;
        // Once at least: a thread that the system runs too late has a rate, too.
        if (part.count > 0) do {
            const std::size_t numbers = std::min(chunk, part.count - at);
            result = result + sum_of(memory.numbers() + part.first + at, numbers);
            read += numbers;
            at = at + numbers == part.count ? 0 : at + numbers;
          } while (!over.load(std::memory_order_relaxed));
        rates[i] = static_cast<double>(read * sizeof(std::uint32_t)) / watch.seconds();
      });
    while (ready.load() < threads) std::this_thread::yield();
    go.store(true);
    meanwhile();
  }
  double sum = 0;
  for (const double rate : rates) sum += rate;
  return sum;
}

}  // namespace duoblas
