#include "level3/device_parts.hpp"

#include <initializer_list>
#include <iterator>
#include <utility>
#include <variant>

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

std::vector<Step> mostly_products(const std::vector<Step>& steps, std::int64_t leaf,
                                  std::int64_t block) {
  std::vector<Step> finer;
  for (const Step& step : steps) {
    const auto* p = std::get_if<Level3Problem>(&step);
    if (p == nullptr || !is_in_place(p->routine) || order(*p) <= leaf) {
      finer.push_back(step);
      continue;
    }
    const std::int64_t all = order(*p);
    std::int64_t middle = halfway(all);
    if (block > 0 && all > block) middle = from_the_end(*p) ? all - block : block;
    const std::vector<Step> parts = mostly_products(list_of(halved(*p, middle)), leaf, block);
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

}  // namespace duoblas
