#include "lapack/saved_triangle.hpp"

#include <algorithm>
#include <cstring>

namespace duoblas {
namespace {

// Columns of a band. A band is copied by one thread, so that of 3,584 rows of doubles, 1.8 MB, is
// what one may wait for the other. An upper triangle's is read in runs of so many elements.
constexpr std::int64_t width = 64;

std::int64_t bands_of(std::int64_t lines) {
  return (lines + width - 1) / width;
}

// The elements of the first bands of a triangle. Each is stored as a rectangle.
std::size_t elements_of(std::int64_t lines, std::int64_t bands) {
  const std::int64_t full = std::min(bands, lines / width);
  const std::int64_t last = bands > full ? lines - full * width : 0;
  return static_cast<std::size_t>(full * width * lines - width * width * (full * (full - 1) / 2) +
                                  last * last);
}

std::size_t bytes_of(const LapackProblem& p, std::int64_t lines) {
  return elements_of(lines, bands_of(lines)) * element_size(p.precision);
}

std::int64_t first_saved(const LapackProblem& p, std::int64_t first, std::size_t most_bytes) {
  while (first < p.n && bytes_of(p, p.n - first) > most_bytes) first += width;
  return std::min(first, p.n);
}

}  // namespace

SavedTriangle::SavedTriangle(const LapackProblem& p, std::int64_t first, std::size_t most_bytes)
    : p_(p),
      first_(first_saved(p, first, most_bytes)),
      bands_(bytes_of(p, p.n - first_), static_cast<std::size_t>(bands_of(p.n - first_)),
             [this](std::size_t band) { copy(band_at(static_cast<std::int64_t>(band))); }) {}

Lines SavedTriangle::band_at(std::int64_t number) const {
  const std::int64_t begin = first_ + number * width;
  return {begin, std::min(begin + width, p_.n)};
}

std::size_t SavedTriangle::place(const Lines& band, std::int64_t row, std::int64_t column) const {
  const std::size_t before = elements_of(p_.n - first_, (band.first - first_) / width);
  row -= band.first;
  column -= band.first;
  const std::int64_t in_band =
      p_.uplo == Uplo::lower ? row + column * (p_.n - band.first) : column + row * band.count();
  return (before + static_cast<std::size_t>(in_band)) * element_size(p_.precision);
}

void SavedTriangle::copy(const Lines& band) const {
  const auto keep = [&](std::int64_t row, std::int64_t column, const void* from,
                        std::int64_t elements) {
    bands_.keep(place(band, row, column), from,
                static_cast<std::size_t>(elements) * element_size(p_.precision));
  };
  if (p_.uplo == Uplo::lower)
    for (std::int64_t j = band.first; j < band.end; ++j)
      keep(j, j, element_of(p_.a, p_.lda, j, j, p_.precision), p_.n - j);
  else
    for (std::int64_t row = band.first; row < p_.n; ++row)
      keep(row, band.first, element_of(p_.a, p_.lda, band.first, row, p_.precision),
           std::min(row + 1, band.end) - band.first);
}

void SavedTriangle::wait_for(std::int64_t column) {
  bands_.wait_for(static_cast<std::size_t>(bands_of(std::max<std::int64_t>(0, column - first_))));
}

void SavedTriangle::put_back(const Lines& rows, const Lines& columns) const {
  const auto put = [&](std::int64_t i, std::int64_t j, std::size_t from, std::int64_t elements) {
    std::memcpy(element_of(p_.a, p_.lda, i, j, p_.precision),
                static_cast<const char*>(bands_.data()) + from,
                static_cast<std::size_t>(elements) * element_size(p_.precision));
  };
  const std::int64_t end = bands_of(columns.end - first_);
  for (std::int64_t number = (columns.first - first_) / width; number < end; ++number) {
    const Lines band = band_at(number);
    const Lines now{std::max(band.first, columns.first), std::min(band.end, columns.end)};
    if (p_.uplo == Uplo::lower)
      for (std::int64_t j = now.first; j < now.end; ++j)
        put(rows.first, j, place(band, rows.first, j), rows.count());
    else
      for (std::int64_t row = rows.first; row < rows.end; ++row)
        put(now.first, row, place(band, row, now.first), now.count());
  }
}

}  // namespace duoblas
