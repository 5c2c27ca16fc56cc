#include "lapack/lu_threads.hpp"

#include <algorithm>
#include <functional>
#include <new>

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
                     const CpuConfig& cpu, TeamShare share) noexcept {
  try {
    if (share == TeamShare::all) blas_ = team_blas_for(engine.cpu(), p.precision, cpu, tiles_of(p));
    // Beside threads of the CPU BLAS fewer do panels better.
    if (!blas_)
      own_team_ =
          team_for(cpu, engine.cpu().limits(), share == TeamShare::all ? TeamShare::half : share);
    panel_ = std::make_unique<LuPanel>(*team(), p.precision, p.m, panel_columns);
  } catch (const std::bad_alloc&) {
    panel_.reset();
  }
}

void LuThreads::together(const std::function<void()>& body) const {
  ThreadTeam* const all = team();
  if (all == nullptr) return body();
  const auto each = [&](int) { body(); };
  all->run(all->size(), std::cref(each));  // takes no memory
}

void LuThreads::swap_behind_panels(const LapackProblem& p, const Panels& panels, std::int64_t first,
                                   std::int64_t last) const {
  const std::int64_t width = panels.width;
  const std::int64_t groups_of_panel = (width + columns_at_once - 1) / columns_at_once;
  const std::int64_t groups = (panels.columns + width - 1) / width * groups_of_panel;
  ThreadTeam* const all = team();
  const int threads = all != nullptr ? all->size() : 1;
  // Columns are handed out in turns, because the first columns have the most swaps.
  const auto swap = [&](int thread) {
    for (std::int64_t group = thread; group < groups; group += threads) {
      const std::int64_t begin = group / groups_of_panel * width;
      const std::int64_t end = std::min(begin + width, panels.columns);
      const std::int64_t at = begin + group % groups_of_panel * columns_at_once;
      const std::int64_t columns = std::min(columns_at_once, end - at);
      const std::int64_t from = std::max(first, end);
      LapackProblem group_of = p;
      group_of.a = element_of(p.a, p.lda, 0, at, p.precision);
      group_of.n = columns;
      group_of.first_row = from;
      group_of.last_row = last;
      exchange_rows(group_of);
    }
  };
  if (first >= last) return;
  if (all != nullptr)
    all->run(threads, std::cref(swap));  // takes no memory
  else
    swap(0);
}

}  // namespace duoblas
