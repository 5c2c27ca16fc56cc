#include "dropin/engine/core_for_driver.hpp"

#include <new>

#include "cpu/affinity.hpp"
#include "dropin/engine/call_counts.hpp"
#include "engine/background_work.hpp"

namespace duoblas {
namespace {

// The time of a core that a start takes: 0.22 s of an H200's driver for its context, then CPU BLAS,
// page locks and kernels.
constexpr double seconds_of_driver = 0.3;
// A start that takes longer waits for something or compiles, with no end in sight. (A guess: an
// H200 was ready after 0.4 s with its kernels compiled, after 3.5 s without.)
constexpr double longest_of_driver = 5;
// An H200's first start took 3.5 s, later ones 0.4 s. (Also a guess.)
constexpr double usual_start = 1.5;
// The flops per second of one core; today's do 30 to 100 GFLOPS in float64. With a low estimate
// fewer calls spare a core.
constexpr double flops_of_a_core = 20e9;

}  // namespace

bool is_worth_a_core(double flops, int threads, int cores) noexcept {
  // With two cores, one is half of the call, as much as the driver takes.
  if (threads < 3 || threads < cores) return false;
  const double seconds = flops / (threads * flops_of_a_core);
  return seconds / (threads - 1) < seconds_of_driver;
}

bool should_spare_a_core(const duoblas_blas_call& call, bool begins) noexcept try {
  const double seconds = seconds_of_background_work();
  return (seconds > 0 || begins) && seconds < longest_of_driver &&
         is_worth_a_core(flops(call), call.threads, static_cast<int>(allowed_cores().size()));
} catch (const std::bad_alloc&) {
  return false;
}

bool start_compiles() noexcept {
  return seconds_of_background_work() >= usual_start;
}

}  // namespace duoblas
