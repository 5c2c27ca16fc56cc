#include "cpu/lu_panel.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <vector>

#include "cpu/panel_bands.hpp"

namespace duoblas {
namespace {

// Where in a panel's memory things are.
struct Places : PanelBands {
  Places(std::int64_t rows, std::int64_t columns, int threads)
      : PanelBands(rows, columns, threads), top(width * columns), offered(2 * width) {}

  std::int64_t of_thread() const { return band + top + offered; }
  std::int64_t all(int threads) const { return threads * of_thread() + offered; }

  std::int64_t top, offered;  ///< sizes
};

// One panel on its way.
template <typename T>
class Work {
 public:
  Work(const LapackProblem& p, void* memory, int threads)
      : a_(static_cast<T*>(p.a)),
        lda_(p.lda),
        rows_(p.m),
        columns_(p.n),
        pivots_(p.pivots),
        places_(p.m, p.n, threads),
        threads_(places_.count),
        memory_(static_cast<T*>(memory)),
        offers_(static_cast<std::size_t>(2 * threads_)) {}

  int threads() const { return threads_; }
  int info() const { return info_; }

  void run(int thread) {
    Own own = own_of(thread);
    own.fetch(a_, lda_, columns_);
    T most = largest(own, 0);
    for (std::int64_t first = 0; first < columns_; first += panel_leaf) {
      const std::int64_t end = std::min(first + panel_leaf, columns_);
      for (std::int64_t j = first; j < end; ++j) most = eliminate(own, j, end, most);
      finish_top(own, first, end);
      own.shrink(end);
      if (end == columns_) break;
      loops_.update(own.stored, first, end - first, columns_, own.top + first * places_.width,
                    places_.width);
      most = largest(own, end);
    }
    store(own);
  }

 private:
  /// What a thread offers as the pivot of a column, for columns in turns: nobody comes to the next
  /// but one before all have read this.
  struct alignas(64) Offer {
    T size = -2;  ///< no row is left
    std::int64_t row = 0;
    std::atomic<std::int64_t> columns{0};  ///< for which it was made, and all before
  };
  struct Own : PanelBand<T> {
    T* top = nullptr;      ///< rows that were pivots, as they lie in the panel
    T* offered = nullptr;  ///< two rows, for columns in turns
  };

  T* memory_of(int thread) const { return memory_ + thread * places_.of_thread(); }
  T* offered_by(int thread) const { return memory_of(thread) + places_.band + places_.top; }
  // Row `row` of the panel, that its owner has in the next column's way.
  T* displaced(std::int64_t column) const {
    return memory_ + threads_ * places_.of_thread() + (column % 2) * places_.width;
  }

  // Rows that only fill the last vector of a band are zeros, which are never pivots.
  Own own_of(int thread) const {
    return {{places_, rows_, thread, memory_of(thread)},
            memory_of(thread) + places_.band,
            offered_by(thread)};
  }

  void store(const Own& own) const {
    const std::int64_t done = std::clamp<std::int64_t>(columns_ - own.first, 0, own.count);
    for (std::int64_t j = 0; j < columns_; ++j)
      std::copy(own.stored.column(j) + done, own.stored.column(j) + own.count,
                a_ + j * lda_ + own.first + done);
    if (own.thread != 0) return;
    for (std::int64_t j = 0; j < columns_; ++j)
      for (std::int64_t i = 0; i < columns_; ++i) a_[j * lda_ + i] = own.top[i * places_.width + j];
  }

  T largest(const Own& own, std::int64_t column) const {
    return loops_.largest(own.stored.column(column), own.stored.begin, own.stored.end);
  }
  void copy_row(const Own& own, std::int64_t row, T* to) const {
    const T* from = own.stored.data + (row - own.first);
    for (std::int64_t j = 0; j < columns_; ++j) to[j] = from[j * own.stored.ld];
  }

  void offer(const Own& own, std::int64_t column, T most) {
    Offer& offer = offers_[static_cast<std::size_t>(2 * own.thread + column % 2)];
    const std::int64_t begin = std::max<std::int64_t>(0, column - own.first);
    offer.size = -2;
    if (begin < own.count) {
      const T* const values = own.stored.column(column);
      std::int64_t i = begin;
      while (i < own.count && std::abs(values[i]) != most) ++i;
      if (i == own.count) i = begin;  // NaN, all of them
      offer.size = most;
      offer.row = own.first + i;
      copy_row(own, offer.row, own.offered + (column % 2) * places_.width);
    }
    if (own.has(column)) copy_row(own, column, displaced(column));
    offer.columns.store(column + 1, std::memory_order_release);
  }

  // The next column's largest magnitude.
  T eliminate(Own& own, std::int64_t column, std::int64_t end, T most) {
    offer(own, column, most);
    int best = -1;
    T size = -2;
    for (int thread = 0; thread < threads_; ++thread) {
      const Offer& offer = offers_[static_cast<std::size_t>(2 * thread + column % 2)];
      wait_awake([&] { return offer.columns.load(std::memory_order_acquire) > column; });
      if (offer.size <= size) continue;
      size = offer.size;
      best = thread;
    }
    const std::int64_t pivot = offers_[static_cast<std::size_t>(2 * best + column % 2)].row;
    T* const row = own.top + column * places_.width;
    std::copy_n(offered_by(best) + (column % 2) * places_.width, columns_, row);
    if (own.has(pivot) && pivot != column) {
      T* const to = own.stored.data + (pivot - own.first);
      for (std::int64_t j = 0; j < columns_; ++j) to[j * own.stored.ld] = displaced(column)[j];
    }
    if (own.has(column)) {
      T* const done = own.stored.data + (column - own.first);
      for (std::int64_t j = 0; j < columns_; ++j) done[j * own.stored.ld] = T(0);
    }
    if (own.thread == 0) {
      pivots_[column] = static_cast<std::int32_t>(pivot + 1);
      if (row[column] == T(0) && info_ == 0) info_ = static_cast<int>(column + 1);
    }
    own.shrink(column + 1);
    const bool divides = !(std::abs(row[column]) >= std::numeric_limits<T>::min());
    return loops_.eliminate(own.stored, column, end, row, divides);
  }

  // U of the pivots' rows, behind the leaf: by each thread for itself.
  void finish_top(const Own& own, std::int64_t first, std::int64_t end) const {
    for (std::int64_t i = first + 1; i < end; ++i) {
      T* const row = own.top + i * places_.width;
      for (std::int64_t k = first; k < i; ++k) {
        const T factor = row[k];
        const T* const above = own.top + k * places_.width;
        for (std::int64_t j = end; j < columns_; ++j) row[j] -= factor * above[j];
      }
    }
  }

  T* const a_;
  const std::int64_t lda_, rows_, columns_;
  std::int32_t* const pivots_;
  const Places places_;
  const int threads_;
  T* const memory_;
  std::vector<Offer> offers_;
  const PanelLoops<T>& loops_ = panel_loops<T>();
  int info_ = 0;
};

template <typename T>
int factorise(const LapackProblem& p, void* memory, ThreadTeam& team) {
  Work<T> work(p, memory, threads_for_panel(p.m, team.size()));
  team.run(work.threads(), [&](int thread) { work.run(thread); });
  return work.info();
}

}  // namespace

LuPanel::LuPanel(ThreadTeam& team, Precision precision, std::int64_t rows, std::int64_t columns)
    : team_(team),
      precision_(precision),
      rows_(rows),
      columns_(columns),
      memory_(panel_memory(panel_elements<Places>(rows, columns, team.size()) *
                           element_size(precision))) {}

bool LuPanel::suits(const LapackProblem& p) const {
  return !p.empty() && p.precision == precision_ && !is_complex(p.precision) && p.n <= p.m &&
         p.m <= rows_ && p.n <= columns_;
}

int LuPanel::factorise(const LapackProblem& p) {
  return precision_ == Precision::d ? duoblas::factorise<double>(p, memory_.get(), team_)
                                    : duoblas::factorise<float>(p, memory_.get(), team_);
}

}  // namespace duoblas
