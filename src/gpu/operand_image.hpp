// An operand that is read through an image, where it lies.
#pragma once

#include <cstdint>
#include <optional>

#include "gpu/opened_device.hpp"
#include "memory/bound_operand.hpp"
#include "problem/precision.hpp"

namespace duoblas {

/// All whole pixels of 16 bytes of an operand of `rows` x `columns`, and what lies before them in
/// its buffer. \pre its rows start at multiples of a pixel. Nothing where there is no whole pixel,
/// where an image cannot be so large, or where the driver makes none over this buffer.
std::optional<cl::Image> image_in_place(const OpenedDevice& device, const BoundOperand& operand,
                                        std::int64_t rows, std::int64_t columns,
                                        Precision precision);

}  // namespace duoblas
