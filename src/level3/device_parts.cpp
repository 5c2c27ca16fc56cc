#include "level3/device_parts.hpp"

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <iterator>
#include <utility>
#include <variant>

#include "problem/rounding.hpp"

namespace duoblas {
namespace {

std::vector<Step> list_of(const Steps& steps) {
  return {steps.begin(), steps.end()};
}

Steps some_of(const Steps& steps, std::initializer_list<std::size_t> places) {
  Steps some;
  for (const std::size_t place : places) some.add(steps.begin()[place]);
  return some;
}

// halved() gives one call for each half, and products: for symm one for each half, for the others
// one for the half that depends on the other.
Steps rest_of_lines(const Level3Problem& p, std::int64_t lines) {
  Steps rest;
  if (lines == 0) rest.add(p);
  if (lines == 0 || lines == order(p)) return rest;
  const Steps steps = halved(p, from_the_end(p) ? order(p) - lines : lines);
  switch (p.routine) {
    case Routine::symm:
    case Routine::hemm: return some_of(steps, {1, 3});
    case Routine::trmm: return some_of(steps, {2});
    case Routine::trsm: return some_of(steps, {1, 2});
    default: break;
  }
  // The finished half of C's triangle is the first of the last two steps, or the second if lines
  // are done from the end.
  const std::size_t finished = steps.size() - (from_the_end(p) ? 1 : 2);
  for (std::size_t place = 0; place < steps.size(); ++place)
    if (place != finished) rest.add(steps.begin()[place]);
  return rest;
}

// Rows of C from `first` on, or columns if its rows depend on each other.
HostRect part_of_c(const Level3Problem& p, std::int64_t first, std::int64_t count) {
  const bool by_rows = updates_triangle(p.routine) || p.side == Side::right;
  const auto elements = static_cast<std::size_t>(by_rows ? first * p.ldc : first);
  const char* const begin = static_cast<const char*>(p.c) + elements * element_size(p.precision);
  return by_rows ? rect_of(begin, count, p.n, p.ldc, p.precision)
                 : rect_of(begin, p.m, count, p.ldc, p.precision);
}

}  // namespace

std::vector<Step> mostly_products(const std::vector<Step>& steps, std::int64_t least,
                                  std::int64_t block) {
  std::vector<Step> finer;
  for (const Step& step : steps) {
    const auto* p = std::get_if<Level3Problem>(&step);
    if (p == nullptr || !is_in_place(p->routine) || order(*p) <= least) {
      finer.push_back(step);
      continue;
    }
    const std::int64_t all = order(*p);
    std::int64_t middle = halfway(all);
    if (block > 0 && all > block) middle = from_the_end(*p) ? all - block : block;
    const std::vector<Step> parts = mostly_products(list_of(halved(*p, middle)), least, block);
    finer.insert(finer.end(), parts.begin(), parts.end());
  }
  return finer;
}

DeviceParts parts_for_device(const Level3Problem& p, std::int64_t extent) {
  const std::int64_t all = divided_extent(p), rest = all - extent;
  if (rest == 0) return {p, {}, {}};
  if (!updates_triangle(p.routine)) {
    const Steps parts = split_free_extent(p, extent);
    return {std::get<Level3Problem>(*parts.begin()),
            {*(parts.begin() + 1)},
            part_of_c(p, extent, rest)};
  }
  const bool lower = p.uplo == Uplo::lower;
  std::vector<Step> steps = list_of(halved(p, lower ? extent : rest));
  const auto of_gpu = std::prev(steps.end(), lower ? 2 : 1);
  DeviceParts parts{std::get<Level3Problem>(*of_gpu), {}, part_of_c(p, lower ? extent : 0, rest)};
  steps.erase(of_gpu);
  parts.cpu = std::move(steps);
  return parts;
}

Steps rest_of(const Level3Problem& p, const Level3Progress& done) {
  if (done.rows_of_next == 0) return rest_of_lines(p, done.lines);
  const Steps rows = split_free_extent(p, done.rows_of_next);
  Steps rest = rest_of_lines(std::get<Level3Problem>(*rows.begin()), done.lines + done.next);
  for (const Step& step : rest_of_lines(std::get<Level3Problem>(*(rows.begin() + 1)), done.lines))
    rest.add(step);
  return rest;
}

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
