// What became of a call: one record, of which a line per call, the counts of a summary and
// Context::last_call() are views.
#pragma once

#include <cstdint>
#include <optional>

#include "engine/hybrid_gemm.hpp"
#include "gpu/level3_times.hpp"
#include "planner/plan.hpp"

namespace duoblas {

struct Outcome {
  /// As it was carried out: the CPU's where the GPU was busy or failed. Of a call of several
  /// products the first and largest one's; CPU-only where the CPU BLAS did it all.
  Plan plan;
  SideTimes times;  ///< of several products `whole` alone
  /// Of a level-3 call that the device did as one job, otherwise zeros.
  Level3Times job_times;
  /// Of checks that are in none of the times.
  double check_seconds = 0;
  /// Samples were checked while they arrived, in the times: nothing is to be learnt of these.
  bool check_in_times = false;
  /// The device allocated memory that it has from now on: nothing is to be learnt of the times.
  bool waited_for_memory = false;
  int products = 0;
  /// Of a batch, otherwise 0: its products, and those of them that the GPU computed; also the rows
  /// of one more.
  std::int64_t batch_products = 0, gpu_products = 0, gpu_rows_of_one = 0;
  bool used_gpu = false;   ///< in one product at least
  bool recovered = false;  ///< the GPU failed, and the CPU did its part
  /// It recovered from short memory or another resource, which the next call may find. Of a single
  /// product.
  bool was_shortage = false;
  /// By the products that the GPU had a part in, against the cost model's estimates of the CPU
  /// alone. Nothing where it had none of one, or there is no such product.
  std::optional<double> seconds_won;
};

}  // namespace duoblas
