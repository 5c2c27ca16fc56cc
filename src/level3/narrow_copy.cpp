#include "level3/narrow_copy.hpp"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <vector>

namespace duoblas {
namespace {

/// The columns [begin, end) of a row.
struct Columns {
  std::int64_t begin;
  std::int64_t end;
};

/// Columns of C; only the stored ones if C is a triangle.
Columns columns_of_c(const Level3Problem& p, std::int64_t row) {
  if (!updates_triangle(p.routine)) return {0, p.n};
  return p.uplo == Uplo::upper ? Columns{row, p.n} : Columns{0, row + 1};
}

std::vector<std::byte> dense_memory(StoredShape shape, std::size_t size) {
  return std::vector<std::byte>(static_cast<std::size_t>(shape.rows * shape.cols) * size);
}

void copy_elements(std::byte* to, std::int64_t to_at, const std::byte* from, std::int64_t from_at,
                   std::int64_t count, std::size_t size) {
  const auto bytes = static_cast<std::int64_t>(size);
  std::memcpy(to + to_at * bytes, from + from_at * bytes, static_cast<std::size_t>(count) * size);
}

std::vector<std::byte> dense(const void* data, std::int64_t ld, StoredShape shape,
                             std::size_t size) {
  auto copy = dense_memory(shape, size);
  for (std::int64_t row = 0; row < shape.rows; ++row)
    copy_elements(copy.data(), row * shape.cols, static_cast<const std::byte*>(data), row * ld,
                  shape.cols, size);
  return copy;
}

}  // namespace

std::int64_t widest_ld(const Level3Problem& p) {
  return std::max({p.lda, has_b(p.routine) ? p.ldb : 0, p.ldc});
}

void with_narrow_copies(const Level3Problem& p, std::int64_t max_ld,
                        const std::function<void(const Level3Problem&)>& run) {
  const std::size_t size = element_size(p.precision);
  std::vector<std::byte> a, b, c;
  Level3Problem narrow = p;
  const auto stand_in = [&](std::vector<std::byte>& copy, const void*& data, std::int64_t& ld,
                            StoredShape shape) {
    if (ld <= max_ld) return;
    if (!p.only_scales_c()) copy = dense(data, ld, shape, size);
    data = copy.data();
    ld = std::max<std::int64_t>(1, shape.cols);
  };
  stand_in(a, narrow.a, narrow.lda, stored_a(p));
  if (has_b(p.routine)) stand_in(b, narrow.b, narrow.ldb, stored_b(p));
  if (p.ldc <= max_ld) return run(narrow);

  // Touches only what may be read and is written. The other triangle may belong to another thread.
  const StoredShape shape = stored_c(p);
  c = dense_memory(shape, size);
  auto* const wide_c = static_cast<std::byte*>(p.c);
  const bool reads_c = is_in_place(p.routine) || p.beta != 0.0;
  for (std::int64_t row = 0; reads_c && row < shape.rows; ++row) {
    const auto [begin, end] = columns_of_c(p, row);
    copy_elements(c.data(), row * shape.cols + begin, wide_c, row * p.ldc + begin, end - begin,
                  size);
  }
  narrow.c = c.data();
  narrow.ldc = shape.cols;
  run(narrow);
  for (std::int64_t row = 0; row < shape.rows; ++row) {
    const auto [begin, end] = columns_of_c(p, row);
    copy_elements(wide_c, row * p.ldc + begin, c.data(), row * shape.cols + begin, end - begin,
                  size);
  }
}

}  // namespace duoblas
