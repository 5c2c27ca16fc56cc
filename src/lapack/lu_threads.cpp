#include "lapack/lu_threads.hpp"

#include <algorithm>
#include <functional>
#include <new>
#include <utility>

#include "problem/element_types.hpp"

namespace duoblas {
namespace {

// The columns in which a thread swaps rows at a time: enough that the pivots are read only a few
// times, and few enough to stay in a cache.
constexpr std::int64_t columns_at_once = 4;

template <typename T>
void swap_rows(const LapackProblem& p, std::int64_t column, std::int64_t columns,
               std::int64_t first, std::int64_t last) {
  T* const a = static_cast<T*>(p.a) + column * p.lda;
  for (std::int64_t row = first; row < last; ++row) {
    const std::int64_t other = p.pivots[row] - 1;
    if (other == row) continue;
    for (std::int64_t j = 0; j < columns; ++j) std::swap(a[j * p.lda + row], a[j * p.lda + other]);
  }
}

}  // namespace

LuThreads::LuThreads(Engine& engine, const LapackProblem& p, std::int64_t panel_columns,
                     const CpuConfig& cpu, TeamShare share) noexcept {
  try {
    team_ = team_for(cpu, engine.cpu().limits(), share);
    panel_ = std::make_unique<LuPanel>(*team_, p.precision, p.m, panel_columns);
  } catch (const std::bad_alloc&) {
    panel_.reset();
  }
}

void LuThreads::swap_behind_panels(const LapackProblem& p, const Panels& panels, std::int64_t first,
                                   std::int64_t last) const {
  const std::int64_t width = panels.width;
  const std::int64_t groups_of_panel = (width + columns_at_once - 1) / columns_at_once;
  const std::int64_t groups = (panels.columns + width - 1) / width * groups_of_panel;
  const int threads = team_ ? team_->size() : 1;
  // Columns are handed out in turns, because the first columns have the most swaps.
  const auto swap = [&](int thread) {
    for (std::int64_t group = thread; group < groups; group += threads) {
      const std::int64_t begin = group / groups_of_panel * width;
      const std::int64_t end = std::min(begin + width, panels.columns);
      const std::int64_t at = begin + group % groups_of_panel * columns_at_once;
      const std::int64_t columns = std::min(columns_at_once, end - at);
      const std::int64_t from = std::max(first, end);
      with_element_type(p.precision,
                        [&](auto zero) { swap_rows<decltype(zero)>(p, at, columns, from, last); });
    }
  };
  if (first >= last) return;
  if (team_)
    team_->run(threads, std::cref(swap));  // takes no memory
  else
    swap(0);
}

}  // namespace duoblas
