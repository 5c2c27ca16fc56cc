#include "lapack/row_exchanges.hpp"

#include <algorithm>
#include <utility>

#include "problem/element_types.hpp"

namespace duoblas {
namespace {

// Enough that the pivots are read only a few times, and few enough to stay in a cache.
constexpr std::int64_t columns_at_once = 4;

}  // namespace

void exchange_rows(const LapackProblem& p) {
  with_element_type(p.precision, [&](auto zero) {
    using T = decltype(zero);
    for (std::int64_t column = 0; column < p.n; column += columns_at_once) {
      T* const a = static_cast<T*>(p.a) + column * p.lda;
      const std::int64_t columns = std::min(columns_at_once, p.n - column);
      for (std::int64_t row = p.first_row; row < p.last_row; ++row) {
        const std::int64_t other = p.pivots[row] - 1;
        if (other == row) continue;
        for (std::int64_t j = 0; j < columns; ++j)
          std::swap(a[j * p.lda + row], a[j * p.lda + other]);
      }
    }
  });
}

void exchange_behind_panels(const LapackProblem& p, const PanelColumns& panels,
                            const Interval& rows, ThreadTeam* team) {
  if (rows.count <= 0) return;
  const std::int64_t width = panels.width, last = rows.first + rows.count;
  const std::int64_t groups_of_panel = (width + columns_at_once - 1) / columns_at_once;
  const std::int64_t groups = (panels.columns + width - 1) / width * groups_of_panel;
  const int threads = team != nullptr ? team->size() : 1;
  // Columns are handed out in turns, because the first columns have the most swaps.
  const auto swap = [&](int thread) {
    for (std::int64_t group = thread; group < groups; group += threads) {
      const std::int64_t begin = group / groups_of_panel * width;
      const std::int64_t end = std::min(begin + width, panels.columns);
      const std::int64_t at = begin + group % groups_of_panel * columns_at_once;
      const std::int64_t columns = std::min(columns_at_once, end - at);
      const std::int64_t from = std::max(rows.first, end);
      exchange_rows(exchanges(p, {from, last - from}, element_of(p.a, p.lda, 0, at, p.precision),
                              p.lda, columns));
    }
  };
  if (team != nullptr)
    team->run(threads, std::cref(swap));  // takes no memory
  else
    swap(0);
}

}  // namespace duoblas
