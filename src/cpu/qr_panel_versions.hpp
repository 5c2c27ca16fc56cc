// The inner loops of qr_panel.hpp, of which there are several versions on x86.
#pragma once

#include "cpu/lu_panel_versions.hpp"

namespace duoblas {

template <typename T>
struct QrLoops {
  /// Of the column with itself and those behind it up to `end`.
  void (*products)(const BandOfPanel<T>& band, std::int64_t column, std::int64_t end, T* results);
  /// The column times `scale`, and of that the multiples `factors` (of the column itself: not read)
  /// from those behind it up to `end`.
  void (*reflect)(const BandOfPanel<T>& band, std::int64_t column, std::int64_t end, T scale,
                  const T* factors);
  /// Of columns `first` to first + depth with columns 0 to `end`: rows of results, `ld` apart.
  void (*inner)(const BandOfPanel<T>& band, std::int64_t first, std::int64_t depth,
                std::int64_t end, T* results, std::int64_t ld);
};

/// For this processor.
template <typename T>
const QrLoops<T>& qr_loops();

/// As lu_panel_versions.hpp has them.
template <typename T>
const QrLoops<T>& qr_loops_for_avx2();
template <typename T>
const QrLoops<T>& qr_loops_for_avx512();

}  // namespace duoblas
