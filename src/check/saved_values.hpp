// A copy of what a matrix stored before it was overwritten.
#pragma once

#include <algorithm>
#include <cstdint>

#include "check/spare_memory.hpp"
#include "check/stored_matrix.hpp"

namespace duoblas {

/// Copies what is stored of a row. \pre matrices of the same shape.
template <typename R>
void copy_row(const StoredMatrix<R>& from, const StoredMatrix<R>& to, std::int64_t i) {
  const auto [first, count] = from.stored_of(i);
  std::copy_n(from.row(i) + first * from.parts, count * from.parts,
              const_cast<R*>(to.row(i)) + first * to.parts);
}

class SavedValues {
 public:
  /// Memory for them. \throws std::bad_alloc.
  template <typename R>
  void make_room_for(const StoredMatrix<R>& written) {
    memory_ = SpareMemory(written.bytes());
  }
  template <typename R>
  void save(const StoredMatrix<R>& written, const CheckThreads& threads) {
    make_room_for(written);
    const StoredMatrix<R> old = of(written);
    threads.share(written.rows, 1, written.bytes(), [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i) copy_row(written, old, i);
    });
  }
  bool are_saved() const { return !memory_.empty(); }
  /// The matrix as it was; without data if that was not saved.
  template <typename R>
  StoredMatrix<R> of(StoredMatrix<R> written) const {
    written.data = static_cast<const R*>(memory_.data());
    written.ld = written.columns;
    return written;
  }
  template <typename R>
  void restore(const StoredMatrix<R>& written) const noexcept {
    for (std::int64_t i = 0; are_saved() && i < written.rows; ++i)
      copy_row(of(written), written, i);
  }

 private:
  SpareMemory memory_;
};

}  // namespace duoblas
