#include "lapack/saved_matrix.hpp"

#include <algorithm>
#include <cstring>

namespace duoblas {
namespace {

// A band is copied by one thread, so that of 3,584 rows of doubles, 1.8 MB of a triangle, is what
// one may wait for the other. An upper triangle's is read in runs of so many elements. Bands of LU
// are small enough that all threads of its team end together.
constexpr std::int64_t width_in_triangle = 64;
constexpr std::size_t bytes_of_lu = std::size_t{256} << 10;

std::int64_t width_of(const LapackProblem& p) {
  if (p.routine == LapackRoutine::potrf) return width_in_triangle;
  const std::size_t column = static_cast<std::size_t>(p.m) * element_size(p.precision);
  return std::max<std::int64_t>(1, static_cast<std::int64_t>(bytes_of_lu / column));
}

}  // namespace

SavedMatrix::SavedMatrix(const LapackProblem& p, std::int64_t first, std::size_t most_bytes)
    : p_(p),
      width_(width_of(p)),
      first_(first_saved(first, most_bytes)),
      bands_(bytes_from(first_), static_cast<std::size_t>(bands_of(p.n - first_)),
             [this](std::size_t piece) {
               const auto number = static_cast<std::int64_t>(piece);
               copy(band_at(is_triangle() ? number : bands_of(p_.n - first_) - 1 - number));
             }) {}

// Of the first bands. In a triangle each is stored as a rectangle.
std::size_t SavedMatrix::elements_of(std::int64_t lines, std::int64_t bands) const {
  if (!is_triangle()) return static_cast<std::size_t>(std::min(bands * width_, lines) * p_.m);
  const std::int64_t full = std::min(bands, lines / width_);
  const std::int64_t last = bands > full ? lines - full * width_ : 0;
  return static_cast<std::size_t>(full * width_ * lines -
                                  width_ * width_ * (full * (full - 1) / 2) + last * last);
}

std::size_t SavedMatrix::bytes_from(std::int64_t first) const {
  const std::int64_t lines = p_.n - first;
  return elements_of(lines, bands_of(lines)) * element_size(p_.precision);
}

std::int64_t SavedMatrix::first_saved(std::int64_t first, std::size_t most_bytes) const {
  while (first < p_.n && bytes_from(first) > most_bytes) first += width_;
  return std::min(first, p_.n);
}

Lines SavedMatrix::band_at(std::int64_t number) const {
  const std::int64_t begin = first_ + number * width_;
  return {begin, std::min(begin + width_, p_.n)};
}

std::size_t SavedMatrix::place(const Lines& band, std::int64_t row, std::int64_t column) const {
  const std::size_t before = elements_of(p_.n - first_, (band.first - first_) / width_);
  column -= band.first;
  std::int64_t rows = p_.m;
  if (is_triangle()) {
    rows = p_.n - band.first;
    row -= band.first;
  }
  const std::int64_t in_band = is_by_columns() ? row + column * rows : column + row * band.count();
  return (before + static_cast<std::size_t>(in_band)) * element_size(p_.precision);
}

void SavedMatrix::copy(const Lines& band) const {
  const auto keep = [&](std::int64_t row, std::int64_t column, const void* from,
                        std::int64_t elements) {
    bands_.keep(place(band, row, column), from,
                static_cast<std::size_t>(elements) * element_size(p_.precision));
  };
  if (is_by_columns())
    for (std::int64_t j = band.first; j < band.end; ++j) {
      const std::int64_t row = is_triangle() ? j : 0;
      keep(row, j, element_of(p_.a, p_.lda, row, j, p_.precision), rows_of_matrix(p_) - row);
    }
  else
    for (std::int64_t row = band.first; row < p_.n; ++row)
      keep(row, band.first, element_of(p_.a, p_.lda, band.first, row, p_.precision),
           std::min(row + 1, band.end) - band.first);
}

void SavedMatrix::wait_for(std::int64_t column) {
  const std::int64_t before = std::max<std::int64_t>(0, column - first_);
  const std::int64_t pieces =
      is_triangle() ? bands_of(before) : bands_of(p_.n - first_) - before / width_;
  bands_.wait_for(static_cast<std::size_t>(pieces));
}

void SavedMatrix::put_back(const Lines& rows, const Lines& columns) const {
  const auto put = [&](std::int64_t i, std::int64_t j, std::size_t from, std::int64_t elements) {
    std::memcpy(element_of(p_.a, p_.lda, i, j, p_.precision),
                static_cast<const char*>(bands_.data()) + from,
                static_cast<std::size_t>(elements) * element_size(p_.precision));
  };
  const std::int64_t end = bands_of(columns.end - first_);
  for (std::int64_t number = (columns.first - first_) / width_; number < end; ++number) {
    const Lines band = band_at(number);
    const Lines now{std::max(band.first, columns.first), std::min(band.end, columns.end)};
    if (is_by_columns())
      for (std::int64_t j = now.first; j < now.end; ++j)
        put(rows.first, j, place(band, rows.first, j), rows.count());
    else
      for (std::int64_t row = rows.first; row < rows.end; ++row)
        put(now.first, row, place(band, row, now.first), now.count());
  }
}

}  // namespace duoblas
