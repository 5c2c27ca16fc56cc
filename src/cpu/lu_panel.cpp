#include "cpu/lu_panel.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <new>
#include <vector>

#include "cpu/lu_panel_versions.hpp"

namespace duoblas {
namespace {

constexpr std::align_val_t line{64};
// Columns that are eliminated one by one before those behind them are updated at once.
constexpr std::int64_t leaf = 16;

constexpr std::int64_t rounded_up(std::int64_t count, std::int64_t unit) {
  return (count + unit - 1) / unit * unit;
}

// Where in a panel's memory things are, in elements, each at the begin of a cache line.
struct Places {
  Places(std::int64_t rows, std::int64_t columns, int threads)
      : band_rows(rounded_up((rows + threads - 1) / threads, panel_unit)),
        // Not a power of two: columns would be in the same sets of the caches.
        band_ld(band_rows % (2 * panel_unit) == 0 ? band_rows + panel_unit : band_rows),
        width(rounded_up(columns, panel_unit)),
        band(band_ld * columns),
        top(width * columns),
        offered(2 * width) {}

  std::int64_t of_thread() const { return band + top + offered; }

  std::int64_t band_rows, band_ld, width;
  std::int64_t band, top, offered;  ///< sizes
};

int threads_for(std::int64_t rows, int most) {
  return static_cast<int>(std::clamp<std::int64_t>(rows / LuPanel::fewest_rows, 1, most));
}

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
        threads_(static_cast<int>((p.m + places_.band_rows - 1) / places_.band_rows)),
        memory_(static_cast<T*>(memory)),
        offers_(static_cast<std::size_t>(2 * threads_)) {}

  int threads() const { return threads_; }
  int info() const { return info_; }

  void run(int thread) {
    Own own = own_of(thread);
    fetch(own);
    T most = largest(own, 0);
    for (std::int64_t first = 0; first < columns_; first += leaf) {
      const std::int64_t end = std::min(first + leaf, columns_);
      for (std::int64_t j = first; j < end; ++j) most = eliminate(own, j, end, most);
      finish_top(own, first, end);
      own.shrink(end);
      if (end == columns_) break;
      loops_.update(own.band, first, end - first, columns_, own.top + first * places_.width,
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
  struct Own {
    int thread = 0;
    std::int64_t first = 0, count = 0;  ///< rows of the panel
    BandOfPanel<T> band;
    T* top = nullptr;      ///< rows that were pivots, as they lie in the panel
    T* offered = nullptr;  ///< two rows, for columns in turns

    bool has(std::int64_t row) const { return row >= first && row < first + count; }
    /// Rows before this one are done.
    void shrink(std::int64_t row) {
      const std::int64_t done = std::clamp<std::int64_t>(row - first, 0, count);
      band.begin = std::min(done / panel_unit * panel_unit, band.end);
      if (done == count) band.begin = band.end;
    }
  };

  T* memory_of(int thread) const { return memory_ + thread * places_.of_thread(); }
  T* offered_by(int thread) const { return memory_of(thread) + places_.band + places_.top; }
  // Row `row` of the panel, that its owner has in the next column's way.
  T* displaced(std::int64_t column) const {
    return memory_ + threads_ * places_.of_thread() + (column % 2) * places_.width;
  }

  Own own_of(int thread) const {
    Own own;
    own.thread = thread;
    own.first = thread * places_.band_rows;
    own.count = std::min(places_.band_rows, rows_ - own.first);
    own.band = {memory_of(thread), places_.band_ld, 0, rounded_up(own.count, panel_unit)};
    own.top = memory_of(thread) + places_.band;
    own.offered = offered_by(thread);
    return own;
  }

  // Rows that only fill the last vector are zeros, which are never pivots.
  void fetch(const Own& own) const {
    for (std::int64_t j = 0; j < columns_; ++j) {
      T* const column = own.band.column(j);
      std::copy_n(a_ + j * lda_ + own.first, own.count, column);
      std::fill(column + own.count, column + own.band.end, T(0));
    }
  }
  void store(const Own& own) const {
    const std::int64_t done = std::clamp<std::int64_t>(columns_ - own.first, 0, own.count);
    for (std::int64_t j = 0; j < columns_; ++j)
      std::copy(own.band.column(j) + done, own.band.column(j) + own.count,
                a_ + j * lda_ + own.first + done);
    if (own.thread != 0) return;
    for (std::int64_t j = 0; j < columns_; ++j)
      for (std::int64_t i = 0; i < columns_; ++i) a_[j * lda_ + i] = own.top[i * places_.width + j];
  }

  T largest(const Own& own, std::int64_t column) const {
    return loops_.largest(own.band.column(column), own.band.begin, own.band.end);
  }
  void copy_row(const Own& own, std::int64_t row, T* to) const {
    const T* from = own.band.data + (row - own.first);
    for (std::int64_t j = 0; j < columns_; ++j) to[j] = from[j * own.band.ld];
  }

  void offer(const Own& own, std::int64_t column, T most) {
    Offer& offer = offers_[static_cast<std::size_t>(2 * own.thread + column % 2)];
    const std::int64_t begin = std::max<std::int64_t>(0, column - own.first);
    offer.size = -2;
    if (begin < own.count) {
      const T* const values = own.band.column(column);
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
      T* const to = own.band.data + (pivot - own.first);
      for (std::int64_t j = 0; j < columns_; ++j) to[j * own.band.ld] = displaced(column)[j];
    }
    if (own.has(column)) {
      T* const done = own.band.data + (column - own.first);
      for (std::int64_t j = 0; j < columns_; ++j) done[j * own.band.ld] = T(0);
    }
    if (own.thread == 0) {
      pivots_[column] = static_cast<std::int32_t>(pivot + 1);
      if (row[column] == T(0) && info_ == 0) info_ = static_cast<int>(column + 1);
    }
    own.shrink(column + 1);
    const bool divides = !(std::abs(row[column]) >= std::numeric_limits<T>::min());
    return loops_.eliminate(own.band, column, end, row, divides);
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
  Work<T> work(p, memory, threads_for(p.m, team.size()));
  team.run(work.threads(), [&](int thread) { work.run(thread); });
  return work.info();
}

// Bands of fewer rows are no longer than those of a higher panel with as many threads, and fewer
// threads have longer ones: what all rows take is about the same.
std::size_t elements_for(std::int64_t rows, std::int64_t columns, int most_threads) {
  std::int64_t most = 0;
  for (int threads = 1; threads <= most_threads; ++threads) {
    const std::int64_t highest =
        threads == most_threads ? rows : std::min(rows, LuPanel::fewest_rows * (threads + 1));
    const Places places(highest, columns, threads);
    most = std::max(most, threads * places.of_thread() + places.offered);
  }
  return static_cast<std::size_t>(most);
}

}  // namespace

void LuPanel::Aligned::operator()(void* memory) const {
  ::operator delete(memory, line);
}

LuPanel::LuPanel(ThreadTeam& team, Precision precision, std::int64_t rows, std::int64_t columns)
    : team_(team),
      precision_(precision),
      rows_(rows),
      columns_(columns),
      memory_(::operator new(elements_for(rows, columns, team.size()) * element_size(precision),
                             line)) {}

LuPanel::~LuPanel() = default;

bool LuPanel::suits(const LapackProblem& p) const {
  return !p.empty() && p.precision == precision_ && !is_complex(p.precision) && p.n <= p.m &&
         p.m <= rows_ && p.n <= columns_;
}

int LuPanel::factorise(const LapackProblem& p) {
  return precision_ == Precision::d ? duoblas::factorise<double>(p, memory_.get(), team_)
                                    : duoblas::factorise<float>(p, memory_.get(), team_);
}

}  // namespace duoblas
