// A level-3 call whose operands the device cannot hold at once, as smaller calls that it can hold
// and products between them, which stream. Pure arithmetic on problems: reads and writes no matrix.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "problem/halving.hpp"

namespace duoblas {

/// Whether the device holds all that it needs of such a call.
using FitsDevice = std::function<bool(const Level3Problem&)>;

/// With more pieces than this, each would be too small to be worth the device.
inline constexpr std::size_t most_pieces = 64;

/// The pieces, in an order in which they can be done. Cuts the free extent or halves the order,
/// whichever sends fewer bytes again: a slice of the free extent needs all of A (of a triangle of C
/// all of C) once more, the halves most of the other operands. Nothing: more than `most_pieces`.
std::optional<std::vector<Step>> pieces_for_device(const Level3Problem& problem,
                                                   const FitsDevice& fits);

}  // namespace duoblas
