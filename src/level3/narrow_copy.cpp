#include "level3/narrow_copy.hpp"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <vector>

#include "problem/host_rect.hpp"

namespace duoblas {
namespace {

std::vector<std::byte> dense(const HostRect& from) {
  std::vector<std::byte> copy(from.rows * from.row_bytes);
  copy_rows(copy.data(), from.row_bytes, from.data, from.pitch, from.rows, from.row_bytes);
  return copy;
}

/// Copies what is stored of C. The other triangle may belong to another thread.
void copy_stored(const Level3Problem& p, void* to, std::int64_t to_ld, const void* from,
                 std::int64_t from_ld) {
  const bool has_triangle = updates_triangle(p.routine);
  const auto size = static_cast<std::int64_t>(element_size(p.precision));
  for (std::int64_t row = 0; row < stored_c(p).rows; ++row) {
    const std::int64_t begin = has_triangle && p.uplo == Uplo::upper ? row : 0;
    const std::int64_t end = has_triangle && p.uplo == Uplo::lower ? row + 1 : p.n;
    std::memcpy(static_cast<char*>(to) + (row * to_ld + begin) * size,
                static_cast<const char*>(from) + (row * from_ld + begin) * size,
                static_cast<std::size_t>((end - begin) * size));
  }
}

}  // namespace

std::int64_t widest_ld(const Level3Problem& p) {
  return std::max({p.lda, has_b(p.routine) ? p.ldb : 0, p.ldc});
}

void with_narrow_copies(const Level3Problem& p, std::int64_t max_ld,
                        const std::function<void(const Level3Problem&)>& run) {
  std::vector<std::byte> a, b, c;
  Level3Problem narrow = p;
  const auto stand_in = [&](std::vector<std::byte>& copy, const void*& data, std::int64_t& ld,
                            const HostRect& rect, std::int64_t columns) {
    if (ld <= max_ld) return;
    if (!p.only_scales_c()) copy = dense(rect);
    data = copy.data();
    ld = std::max<std::int64_t>(1, columns);
  };
  stand_in(a, narrow.a, narrow.lda, rect_of_a(p), stored_a(p).cols);
  if (has_b(p.routine)) stand_in(b, narrow.b, narrow.ldb, rect_of_b(p), stored_b(p).cols);
  if (p.ldc <= max_ld) return run(narrow);

  const HostRect rect = rect_of_c(p);
  c.resize(rect.rows * rect.row_bytes);
  narrow.c = c.data();
  narrow.ldc = stored_c(p).cols;
  if (reads_c(p)) copy_stored(p, narrow.c, narrow.ldc, p.c, p.ldc);
  run(narrow);
  copy_stored(p, p.c, p.ldc, narrow.c, narrow.ldc);
}

}  // namespace duoblas
