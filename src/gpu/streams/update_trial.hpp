// Tries a kernel on a small update before anybody uses it.
#pragma once

#include <cstdint>
#include <functional>
#include <random>
#include <string>

#include "gpu/kernels/target_device.hpp"
#include "memory/bound_operand.hpp"
#include "problem/ger_problem.hpp"

namespace duoblas {

/// A, x and y of a ger in buffers. The operand may begin behind the buffer's first element.
struct UpdateOperands {
  BoundOperand a;
  BoundVector x, y;
};

/// The parameters of a trial beside the problem's own sizes, distances and scalars.
struct TrialPlaces {
  std::int64_t incx = 1, incy = 1;
  std::int64_t before = 0;  ///< elements of the buffer before A
};

/// Draws operands with NaN around and between them, runs `enqueue`, and waits. Returns what is
/// wrong with A then; empty: nothing. \throws DeviceError.
std::string tried_update(
    const TargetDevice& device, cl::Queue& queue, GerProblem problem, const TrialPlaces& places,
    std::mt19937_64& engine,
    const std::function<cl::Event(const GerProblem&, const UpdateOperands&)>& enqueue);

}  // namespace duoblas
