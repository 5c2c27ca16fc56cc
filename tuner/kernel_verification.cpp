#include "tuner/kernel_verification.hpp"

#include <cstring>
#include <string>

#include "problem/host_rect.hpp"
#include "timing/stopwatch.hpp"
#include "tuner/verify.hpp"

namespace duoblas {
namespace {

// More than two tiles of any kernel each way, and a multiple of nothing.
MeasuredProblem uneven_problem(const VerifiedCase& tuning_case, unsigned seed) {
  CallerGemm call =
      row_major_call(tuning_case.precision, tuning_case.op_a, tuning_case.op_b, 149, 275, 67);
  const bool complex = is_complex(tuning_case.precision);
  call.args.alpha = {-0.7, complex ? 0.3 : 0.0};
  call.args.beta = {1.3, complex ? -0.4 : 0.0};
  return MeasuredProblem(call, seed, 3);
}

MeasuredProblem full_problem(const VerifiedCase& tuning_case, unsigned seed) {
  const Shape& shape = tuning_case.shape;
  return MeasuredProblem(row_major_call(tuning_case.precision, tuning_case.op_a, tuning_case.op_b,
                                        shape.m, shape.n, shape.k),
                         seed);
}

void check(double error, const char* where) {
  if (!(error < 1))
    throw WrongResult(std::string("wrong result at ") + where + ": scaled error " +
                      std::to_string(error));
}

// What lies between the rows of C is the caller's.
void check_padding(const MeasuredProblem& measured) {
  const GemmProblem& p = measured.problem();
  const auto size = static_cast<std::int64_t>(element_size(p.precision));
  for (std::int64_t row = 0; row < p.m; ++row) {
    const std::int64_t at = (row * p.ldc + p.n) * size;
    if (std::memcmp(static_cast<const char*>(measured.c()) + at,
                    static_cast<const char*>(measured.old_c()) + at,
                    static_cast<std::size_t>((p.ldc - p.n) * size)) != 0)
      throw WrongResult("wrong result at uneven sizes: it writes between the rows of C");
  }
}

}  // namespace

KernelVerification::KernelVerification(Engine& engine, const VerifiedCase& tuning_case,
                                       const CpuConfig& reference, unsigned seed)
    : engine_(engine),
      tuning_case_(tuning_case),
      uneven_(uneven_problem(tuning_case, seed)),
      full_(full_problem(tuning_case, seed + 1)),
      uneven_rows_(rows_to_verify(uneven_.problem(), 0, seed)),
      trusted_(full_.c_bytes()) {
  // A kernel is compared with the CPU BLAS everywhere, and that with a wider type in samples.
  full_.poison_c();
  engine.run(full_.problem(), cpu_plan(reference, Reason::as_told));
  const auto rows = rows_to_verify(full_.problem(), full_.problem().m / 2, seed + 2);
  if (!(scaled_error(full_.problem(), nullptr, rows) < 1))
    throw CpuBlasError(
        "the CPU BLAS computes wrong results: see \"duoblas devices\", and name "
        "another library with DUOBLAS_CPU_BLAS");
  std::memcpy(trusted_.data(), full_.c(), full_.c_bytes());
}

std::size_t KernelVerification::bytes() const {
  const GemmProblem& p = full_.problem();
  return rect_of_a(p).span() + rect_of_b(p).span() + full_.c_bytes() + trusted_.size();
}

double KernelVerification::seconds_alone(const GemmProblem& problem, const KernelParams& kernel,
                                         SharingMode sharing) {
  return seconds_of([&] { engine_.gpu()->submit(problem, kernel, sharing).wait(); });
}

double KernelVerification::uneven_seconds(const KernelParams& kernel, SharingMode sharing) {
  engine_.gpu()->prepare(kernel, tuning_case_.precision, tuning_case_.op_a, tuning_case_.op_b);
  uneven_.restore_c();
  seconds_alone(uneven_.problem(), kernel, sharing);
  check(scaled_error(uneven_.problem(), uneven_.old_c(), uneven_rows_), "uneven sizes");
  check_padding(uneven_);
  uneven_.restore_c();
  return seconds_alone(uneven_.problem(), kernel, sharing);
}

double KernelVerification::full_seconds(const KernelParams& kernel, SharingMode sharing) {
  full_.poison_c();
  seconds_alone(full_.problem(), kernel, sharing);
  check(scaled_difference(full_.problem(), trusted_.data(), nullptr), "full size");
  return seconds_alone(full_.problem(), kernel, sharing);
}

}  // namespace duoblas
