// Divides a level-3 call whose operands the device cannot hold at once into smaller calls that it
// can hold, and products between them, which stream. Pure arithmetic on problems: reads and writes
// no matrix.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "problem/halving.hpp"

namespace duoblas {

/// Whether the device can hold everything that it needs for such a call.
using FitsDevice = std::function<bool(const Level3Problem&)>;

/// With more pieces than this, each would be too small to pay.
inline constexpr std::size_t most_pieces = 64;

/// The pieces, in an order in which they can be done. Either slices of the free extent or halves of
/// the order, whichever sends fewer bytes again: a slice needs all of A (for a triangle of C all of
/// C) once more, halves need most of the other operands. Nothing: more than `most_pieces`.
std::optional<std::vector<Step>> pieces_for_device(const Level3Problem& problem,
                                                   const FitsDevice& fits);

}  // namespace duoblas
