// What is compiled for a call of gemv, and how its work is divided.
#pragma once

#include <cstdint>
#include <optional>

#include "gpu/device/opened_device.hpp"
#include "gpu/kernels/kernel_cache.hpp"
#include "kernel_space/gemv_kernel.hpp"
#include "problem/gemv_problem.hpp"

namespace duoblas {

/// A kernel, the alignment of rows of A, and the compiled-in sizes. The kernel's switches are those
/// in effect, which may be fewer than were asked for.
struct GemvVariant {
  GemvKernel kernel;
  bool aligned = false;  ///< each row of A, and x, start at multiples of a vector's bytes
  std::int64_t rows = 0, columns = 0, slice = 0;  ///< 0: arguments
};

/// For calls of any size. An image needs aligned rows.
GemvVariant of_any_size(GemvKernel kernel, bool aligned);

/// With the problem's sizes compiled in, if the kernel asks for that. Nothing if the call is more
/// than one launch, or A is too large for a trial.
std::optional<GemvVariant> of_these_sizes(const TargetDevice& device, const GemvProblem& problem,
                                          GemvKernel kernel, bool aligned);

/// The number of gemv_program() for these on one device. Makes no text.
ProgramNumber program_number_of(const GemvProblem& problem, const GemvVariant& variant);

/// Whether a call may use that variant: it is ready, or one more may be built now.
bool may_have_sizes(const OpenedDevice& device, const GemvProblem& problem,
                    const GemvVariant& variant, bool builds);

ProgramText gemv_program(const GemvProblem& problem, const GemvVariant& variant);

/// Elements of y that a work-group computes.
std::int64_t outputs_of_group(const GemvProblem& problem, const GemvKernel& kernel);

/// How a gemv is divided among work-groups.
struct GemvDivision {
  std::int64_t groups = 1;  ///< along y
  std::int64_t slices = 1;  ///< of each sum
  std::int64_t slice = 1;   ///< terms
};
GemvDivision division_of(const TargetDevice& device, const GemvProblem& problem,
                         const GemvKernel& kernel);

/// Elements of y that a launch computes: whole groups, so that parts of columns begin at multiples
/// of a vector.
std::int64_t outputs_of_launch(const TargetDevice& device, const GemvProblem& problem,
                               const GemvKernel& kernel);

}  // namespace duoblas
