// Verifies a kernel: runs it where all edges occur and at its own shape, and compares the results.
#pragma once

#include <cstdint>
#include <vector>

#include <duoblas/error.hpp>

#include "engine/engine.hpp"
#include "tuner/measured_problem.hpp"
#include "tuner/tune_request.hpp"

namespace duoblas {

/// The case for which kernels are verified.
struct VerifiedCase {
  Precision precision = Precision::s;
  Op op_a = Op::none;
  Op op_b = Op::none;
  Shape shape;
  friend bool operator==(const VerifiedCase&, const VerifiedCase&) = default;
};

/// A kernel ran, and gave a wrong result.
class WrongResult : public DeviceError {
 public:
  using DeviceError::DeviceError;
};

/// The operands and the trusted results of one tuning case, for any number of kernels. Kernels run
/// alone, not through the engine's own products, which would recover on the CPU and set the device
/// aside.
class KernelVerification {
 public:
  /// Computes the trusted C at `tuning_case.shape` on the CPU, and checks it against a wider type.
  /// \throws CpuBlasError if it is wrong, std::bad_alloc. \pre engine.gpu() is not null.
  KernelVerification(Engine& engine, const VerifiedCase& tuning_case, const CpuConfig& reference,
                     unsigned seed);

  const VerifiedCase& tuning_case() const { return tuning_case_; }
  /// The memory of this object, at least.
  std::size_t bytes() const;

  /// Builds the kernel and verifies it at odd sizes, with alpha, beta and padded rows. Returns the
  /// seconds of a second run. \throws WrongResult, DeviceError.
  double uneven_seconds(const KernelParams& kernel, SharingMode sharing);
  /// The same at the tuning case's shape.
  double full_seconds(const KernelParams& kernel, SharingMode sharing);

 private:
  double seconds_alone(const GemmProblem& problem, const KernelParams& kernel, SharingMode sharing);

  Engine& engine_;
  const VerifiedCase tuning_case_;
  MeasuredProblem uneven_;
  MeasuredProblem full_;
  std::vector<std::int64_t> uneven_rows_;
  std::vector<char> trusted_;
};

}  // namespace duoblas
