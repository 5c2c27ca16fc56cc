#include "tuner/cpu_peak.hpp"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <thread>

#include "timing/stopwatch.hpp"
#include "tuner/cpu_peak_loops.hpp"
#include "tuner/side_cores.hpp"

namespace duoblas {
namespace {

constexpr double warm_seconds = 0.02, seconds = 0.1;

template <typename R>
std::vector<const MultiplyAdds<R>*> versions_that_run() {
  std::vector<const MultiplyAdds<R>*> versions;
#if defined(DUOBLAS_WIDER_VECTORS)
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
      __builtin_cpu_supports("avx512vl"))
    versions.push_back(&multiply_adds_for_avx512<R>());
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
    versions.push_back(&multiply_adds_for_avx2<R>());
#endif
  if (versions.empty()) versions.push_back(&multiply_adds<R>);
  return versions;
}

// flops in one thread until the time is over; returns them over the time that they took.
template <typename R>
double rate_of(const MultiplyAdds<R>& work, double for_seconds) {
  constexpr std::int64_t turns = 20'000;  // 10 to 40 us
  volatile R result = 0;                  // what is not used need not be computed
  std::int64_t done = 0;
  const Stopwatch watch;
  double took = 0;
  do {
    result = result + work.run(turns, R(0.5), R(0.5));
    done += turns;
    took = watch.seconds();
  } while (took < for_seconds);
  return static_cast<double>(done) * work.flops / took;
}

template <typename R>
double rate_of_all(const MultiplyAdds<R>& work, const std::vector<int>& cores, int threads) {
  const auto count = static_cast<std::size_t>(std::max(threads, 1));
  std::vector<double> rates(count, 0);
  std::atomic<std::size_t> waiting{0};
  std::vector<std::jthread> running;
  for (std::size_t i = 0; i < count; ++i)
    running.emplace_back([&, i] {
      const ScopedAffinity place(place_of_thread({cores, static_cast<int>(count)}, i));
      rate_of(work, warm_seconds);
      waiting.fetch_add(1);
      while (waiting.load() < count) std::this_thread::yield();
      rates[i] = rate_of(work, seconds);
    });
  running.clear();
  double sum = 0;
  for (const double rate : rates) sum += rate;
  return sum;
}

template <typename R>
double best_rate(const std::vector<int>& cores, int threads) {
  double best = 0;
  for (const MultiplyAdds<R>* work : versions_that_run<R>())
    best = std::max(best, rate_of_all(*work, cores, threads));
  return best;
}

}  // namespace

double cpu_peak(Precision precision, const std::vector<int>& cores, int threads) {
  return 1e-9 * (is_double(precision) ? best_rate<double>(cores, threads)
                                      : best_rate<float>(cores, threads));
}

}  // namespace duoblas
