#include "level3/device_pieces.hpp"

#include <algorithm>
#include <cstdint>
#include <variant>

#include "problem/rounding.hpp"

namespace duoblas {
namespace {

// Smaller halves are not worth a device.
constexpr std::int64_t least_halved = 64;

Level3Problem first_slice(const Level3Problem& p, std::int64_t width) {
  return width < free_extent(p) ? std::get<Level3Problem>(*split_free_extent(p, width).begin()) : p;
}

// The rows of a GPU's tiles start at multiples of this.
std::int64_t slice_width(const Level3Problem& p, std::int64_t slices) {
  constexpr std::int64_t unit = 32, least_units = 8;
  const std::int64_t width = parts(free_extent(p), slices);
  return width < least_units * unit ? width : round_up(width, unit);
}

// For n lines along the order and f along the other side: each slice after the first sends n^2 / 2
// elements of A again (for a triangle of C: it sends and brings back as many). Halves send n f
// elements of B and C again (for a triangle: of A), and bring back half of that.
std::int64_t worthwhile_slices(const Level3Problem& p) {
  const double per_extent = updates_triangle(p.routine) ? 1 : 2;
  const double slices =
      1 + per_extent * static_cast<double>(free_extent(p)) / static_cast<double>(order(p));
  return static_cast<std::int64_t>(std::min(slices, static_cast<double>(most_pieces)));
}

class PiecePartitioner {
 public:
  explicit PiecePartitioner(const FitsDevice& fits) : fits_(fits) {}

  bool add(const Level3Problem& p) {
    if (fits_(p)) return add_piece(p);
    const bool is_halved = order(p) >= 2 * least_halved;
    const auto most = is_halved ? worthwhile_slices(p) : std::int64_t{most_pieces};
    if (const std::int64_t slices = least_slices(p, std::min(most, free_extent(p))); slices > 0)
      return add_slices(p, slice_width(p, slices));
    return is_halved && add_halves(p);
  }

  std::vector<Step> take_pieces() { return std::move(pieces_); }

 private:
  bool add_piece(const Step& piece) {
    pieces_.push_back(piece);
    return pieces_.size() <= most_pieces;
  }

  // The smallest number of slices that fit; 0 if `most` of them do not.
  std::int64_t least_slices(const Level3Problem& p, std::int64_t most) const {
    const auto fit = [&](std::int64_t slices) {
      return fits_(first_slice(p, slice_width(p, slices)));
    };
    if (most < 2 || !fit(most)) return 0;
    std::int64_t too_few = 1, enough = most;
    while (enough - too_few > 1) {
      const std::int64_t middle = (too_few + enough) / 2;
      (fit(middle) ? enough : too_few) = middle;
    }
    return enough;
  }

  bool add_slices(Level3Problem p, std::int64_t width) {
    while (free_extent(p) > width) {
      const Steps two = split_free_extent(p, width);
      if (!add_piece(*two.begin())) return false;
      p = std::get<Level3Problem>(*(two.begin() + 1));
    }
    return add_piece(p);
  }

  bool add_halves(const Level3Problem& p) {
    for (const Step& step : halved(p, halfway(order(p)))) {
      const auto* half = std::get_if<Level3Problem>(&step);
      if (!(half != nullptr ? add(*half) : add_piece(step))) return false;
    }
    return true;
  }

  const FitsDevice& fits_;
  std::vector<Step> pieces_;
};

}  // namespace

std::optional<std::vector<Step>> pieces_for_device(const Level3Problem& problem,
                                                   const FitsDevice& fits) {
  PiecePartitioner partitioner(fits);
  if (!partitioner.add(problem)) return {};
  return partitioner.take_pieces();
}

}  // namespace duoblas
