#include "dropin/engine/core_for_driver.hpp"

#include <new>

#include "cpu/affinity.hpp"
#include "dropin/engine/call_counts.hpp"
#include "engine/background_work.hpp"
#include "facts/rates.hpp"

namespace duoblas {

bool is_worth_a_core(double flops, int threads, int cores) noexcept {
  // With two cores, one is half of the call, as much as the driver takes.
  if (threads < 3 || threads < cores) return false;
  const double seconds = flops / (threads * rates::flops_per_second_of_core);
  return seconds / (threads - 1) < rates::core_seconds_of_start;
}

bool should_spare_a_core(const duoblas_blas_call& call, bool begins) noexcept try {
  const double seconds = seconds_of_background_work();
  return (seconds > 0 || begins) && seconds < rates::longest_start_seconds &&
         is_worth_a_core(flops(call), call.threads, static_cast<int>(allowed_cores().size()));
} catch (const std::bad_alloc&) {
  return false;
}

bool start_compiles() noexcept {
  return seconds_of_background_work() >= rates::usual_start_seconds;
}

}  // namespace duoblas
