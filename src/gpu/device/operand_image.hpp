// An operand that is read in place through an image.
#pragma once

#include <cstdint>
#include <optional>

#include "gpu/kernels/target_device.hpp"
#include "memory/bound_operand.hpp"
#include "problem/precision.hpp"

namespace duoblas {

/// An image of all whole pixels of 16 bytes of an operand of `rows` x `columns`, and of everything
/// before them in its buffer. \pre its rows start at multiples of a pixel. Nothing if there is no
/// whole pixel, if an image cannot be that large, or if the driver makes none over this buffer.
std::optional<cl::Image> image_in_place(const TargetDevice& device, const BoundOperand& operand,
                                        std::int64_t rows, std::int64_t columns,
                                        Precision precision);

}  // namespace duoblas
