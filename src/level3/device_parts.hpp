// How a level-3 call is divided for the device: the CPU's part beside its one job, and the CPU's
// work if it left something undone; and where it cannot hold all operands at once, smaller calls
// that it can hold, and products between them, which stream. Pure arithmetic on problems: reads and
// writes no matrix.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "problem/halving.hpp"
#include "problem/host_rect.hpp"

namespace duoblas {

/// The device's part of a call, and the rest as steps, in an order in which they can be done.
struct DeviceParts {
  Level3Problem gpu;
  std::vector<Step> cpu;
  HostRect c_of_cpu;  ///< the memory that these steps write; whole lines of a triangle
};

/// The device gets the first `extent` of divided_extent(); of an upper triangle the last. So the
/// CPU's lines do not lie between the device's rows. \pre 0 < extent <= divided_extent().
DeviceParts parts_for_device(const Level3Problem& problem, std::int64_t extent);

/// trmm and trsm by halves down to orders of at most `least`, so that most of their flops are
/// products; other steps as they are. Of an order above `block`, if that is not 0, so many lines
/// are done first, and one product has them and all others.
std::vector<Step> mostly_products(const std::vector<Step>& steps, std::int64_t least,
                                  std::int64_t block = 0);

/// The rest of a call after `done`. For trsm `done` is solved already, in place. Needs no memory:
/// memory may be what the device's job lacked.
Steps rest_of(const Level3Problem& problem, const Level3Progress& done);

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
