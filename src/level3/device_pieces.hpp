// A level-3 call whose operands the device cannot hold at once, as smaller calls that it can hold
// and products between them, which stream. Pure arithmetic on problems: reads and writes no matrix.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "level3/halving.hpp"

namespace duoblas {

/// Whether the device holds all that it needs of such a call.
using FitsDevice = std::function<bool(const Level3Problem&)>;

/// More than these are too small for a device that the whole call is worth.
inline constexpr std::size_t most_pieces = 64;

/// In an order in which they can be done. The free extent is cut where that sends less again than
/// halves of the order would: a slice needs all of A (of a triangle of C all of C) once more, the
/// halves most of the other operands. Nothing: it takes more than `most_pieces`.
std::optional<std::vector<Step>> pieces_for_device(const Level3Problem& problem,
                                                   const FitsDevice& fits);

}  // namespace duoblas
