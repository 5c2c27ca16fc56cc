#include "lapack/lu_threads.hpp"

#include <algorithm>
#include <functional>

#include "facts/rates.hpp"
#include "lapack/row_exchanges.hpp"

namespace duoblas {
namespace {

// The columns in which a thread swaps rows at a time.
constexpr std::int64_t columns_at_once = 4;

int tiles_of(const LapackProblem& p) {
  return std::min(p.m, p.n) < rates::more_lu_tiles_from ? usual_tiles : rates::more_lu_tiles;
}

}  // namespace

LuThreads::LuThreads(Engine& engine, const LapackProblem& p, std::int64_t panel_columns,
                     const CpuConfig& cpu, TeamShare share) noexcept
    : threads_(PanelThreads<LuPanel>::made(engine, p, panel_columns, cpu, share, tiles_of(p))) {}

void LuThreads::together(const std::function<void()>& body) const {
  if (!threads_) return body();
  const auto each = [&](int) { body(); };
  threads_->team().run(threads_->team().size(), std::cref(each));  // takes no memory
}

void LuThreads::swap_behind_panels(const LapackProblem& p, const Panels& panels, std::int64_t first,
                                   std::int64_t last) const {
  const std::int64_t width = panels.width;
  const std::int64_t groups_of_panel = (width + columns_at_once - 1) / columns_at_once;
  const std::int64_t groups = (panels.columns + width - 1) / width * groups_of_panel;
  const int threads = threads_ ? threads_->team().size() : 1;
  // Columns are handed out in turns, because the first columns have the most swaps.
  const auto swap = [&](int thread) {
    for (std::int64_t group = thread; group < groups; group += threads) {
      const std::int64_t begin = group / groups_of_panel * width;
      const std::int64_t end = std::min(begin + width, panels.columns);
      const std::int64_t at = begin + group % groups_of_panel * columns_at_once;
      const std::int64_t columns = std::min(columns_at_once, end - at);
      const std::int64_t from = std::max(first, end);
      exchange_rows(exchanges(p, {from, last - from}, element_of(p.a, p.lda, 0, at, p.precision),
                              p.lda, columns));
    }
  };
  if (first >= last) return;
  if (threads_)
    threads_->team().run(threads, std::cref(swap));  // takes no memory
  else
    swap(0);
}

}  // namespace duoblas
