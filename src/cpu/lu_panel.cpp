#include "cpu/lu_panel.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "cpu/lu_panel_places.hpp"
#include "cpu/panel_bands.hpp"
#include "cpu/row_swaps.hpp"
#include "cpu/unit_inverse.hpp"
#include "problem/element_types.hpp"

namespace duoblas {
namespace {

// Rows before an inner panel's end belong to no band any more: their elements in other columns are
// never read.
static_assert(inner_width % panel_unit == 0);

// One panel in progress.
template <typename T>
class Work {
  using Real = PartOf<T>;
  using Largest = LargestSize<Real>;
  using Candidate = PivotCandidate<Real>;
  static constexpr std::int64_t parts = parts_of<T>;
  // The other columns of an inner panel are updated in parts of this many, because an inner panel
  // of some hundred rows is larger than the first-level cache.
  static constexpr std::int64_t columns_of_part = parts == 1 ? 4 : inner_width;

 public:
  Work(const LapackProblem& p, const LuPanel::Source& from, PanelInverse* inverse, void* memory,
       int threads)
      : from_(static_cast<const T*>(from.a)),
        from_ld_(from.lda),
        a_(static_cast<T*>(p.a)),
        lda_(p.lda),
        rows_(p.m),
        columns_(p.n),
        pivots_(p.pivots),
        places_(p.m, p.n, threads),
        threads_(places_.count),
        memory_(static_cast<Real*>(memory)),
        candidates_(static_cast<std::size_t>(2 * threads_)),
        swapped_(static_cast<std::size_t>(threads_)) {
    if (parts == 1 && inverse != nullptr && columns_ <= PanelInverse::most_columns)
      inverse_.emplace(columns_, *inverse, threads_);
  }

  int threads() const { return threads_; }
  int info() const { return info_; }
  const std::optional<UnitInverse<Real>>& inverse() const { return inverse_; }

  void run(int thread) {
    Own own = own_of(thread);
    own.fetch(from_, from_ld_, columns_);
    Largest most = largest(own, 0);
    for (std::int64_t first = 0; first < columns_; first += inner_width) {
      const std::int64_t end = std::min(first + inner_width, columns_);
      propose(own, {first, end}, first, most);
      for (std::int64_t j = first; j < end;) {
        const Part part{j, std::min(j + columns_of_part, end)};
        for (; j < part.end; ++j) eliminate(own, {first, end}, part, j);
        if (part.end < end) update_inner(own, {first, end}, part);
      }
      if (end - first < columns_) swap_rows(own, {first, end});
      if (end < columns_) finish_top(own, {first, end});
      own.shrink(end);
      if (end == columns_) break;
      loops_.update(own.stored, parts * first, parts * (end - first), parts * end, parts * columns_,
                    top_row(own, first), places_.width);
      most = largest(own, end);
    }
    if (inverse_) inverse_->make_share(thread, own.top, places_.width, loops_);
    store(own);
  }

 private:
  /// The columns that are eliminated one by one. Rows are swapped in these columns at once, and in
  /// all others after the inner panel.
  struct InnerPanel {
    std::int64_t first, end;
  };
  /// Columns of an inner panel whose multipliers are applied to its later columns all at once.
  struct Part {
    std::int64_t first, end;
  };
  struct Own : PanelBand<Real> {
    Real* top = nullptr;                             ///< the rows that became pivots
    std::array<std::int64_t, inner_width> pivots{};  ///< the pivots of the inner panel
  };
  Real* memory_of(int thread) const { return memory_ + thread * places_.of_thread(); }
  // That row's elements in the inner panel's columns. Two alternate.
  Real* candidate_of(int thread, std::int64_t column) const {
    return memory_of(thread) + places_.band + places_.top + (column % 2) * parts * inner_width;
  }
  Real* top_row(const Own& own, std::int64_t row) const {
    return own.top + parts * row * places_.width;
  }
  // Row `row` of the panel, which is in the place of the next column's pivot, and whose owner has
  // it.
  Real* displaced(std::int64_t column) const {
    return memory_ + threads_ * places_.of_thread() + (column % 2) * parts * inner_width;
  }
  // The rows that become pivots, and those that they replace, except for the inner panel's columns.
  Real* swapped(bool become_pivots, std::int64_t number) const {
    return memory_ + threads_ * places_.of_thread() + places_.candidates +
           (become_pivots ? 0 : places_.swapped) + number * places_.width;
  }

  // Rows that only fill the last vector of a band are zero, and never become pivots.
  Own own_of(int thread) const {
    return {{places_, rows_, thread, memory_of(thread)}, memory_of(thread) + places_.band};
  }
  // The imaginary part is `to_im` numbers after the real one.
  static T element(const Real* re, std::int64_t to_im) {
    if constexpr (parts == 1)
      return *re;
    else
      return {*re, re[to_im]};
  }
  void store(const Own& own) const {
    const std::int64_t done = std::clamp<std::int64_t>(columns_ - own.first, 0, own.count);
    for (std::int64_t j = 0; j < columns_; ++j)
      for (std::int64_t i = done; i < own.count; ++i)
        a_[j * lda_ + own.first + i] = element(own.stored.column(parts * j) + i, own.stored.ld);
    // Each thread stores its share of the rows that all threads have.
    for (std::int64_t j = own.thread; j < columns_; j += threads_)
      for (std::int64_t i = 0; i < columns_; ++i)
        a_[j * lda_ + i] = element(top_row(own, i) + parts * j, 1);
  }

  Largest largest(const Own& own, std::int64_t column) const {
    const Real* const re = own.stored.column(parts * column);
    if constexpr (parts == 1)
      return loops_.largest(re, own.stored.begin, own.stored.end);
    else
      return loops_.largest_sum(re, re + own.stored.ld, own.stored.begin, own.stored.end);
  }
  static Real size_of(T element) {
    if constexpr (parts == 1)
      return std::abs(element);
    else
      return std::abs(element.real()) + std::abs(element.imag());
  }
  // Columns are those of the band, of real numbers.
  void copy_row(const Own& own, std::int64_t row, std::int64_t begin, std::int64_t end,
                Real* to) const {
    const Real* from = own.stored.data + (row - own.first);
    for (std::int64_t j = begin; j < end; ++j) *to++ = from[j * own.stored.ld];
  }
  void take_row(const Real* from, std::int64_t begin, std::int64_t end, const Own& own,
                std::int64_t row) const {
    Real* const to = own.stored.data + (row - own.first);
    for (std::int64_t j = begin; j < end; ++j) to[j * own.stored.ld] = *from++;
  }

  void propose(const Own& own, const InnerPanel& inner, std::int64_t column, const Largest& most) {
    Candidate& candidate = candidates_[static_cast<std::size_t>(2 * own.thread + column % 2)];
    const std::int64_t begin = std::max<std::int64_t>(0, column - own.first);
    candidate.size = -2;
    if (begin < own.count) {
      const Real* const values = own.stored.column(parts * column);
      std::int64_t i = most.row;
      if (i < begin || i >= own.count) {  // a zero of a row that is not in the column
        i = begin;
        while (i < own.count && size_of(element(values + i, own.stored.ld)) != most.size) ++i;
        if (i == own.count) i = begin;  // all are NaN
      }
      candidate.size = most.size;
      candidate.row = own.first + i;
      copy_row(own, candidate.row, parts * inner.first, parts * inner.end,
               candidate_of(own.thread, column));
    }
    if (own.has(column))
      copy_row(own, column, parts * inner.first, parts * inner.end, displaced(column));
    candidate.columns.store(column + 1, std::memory_order_release);
  }

  // A row is proposed as soon as the column is complete. What it lacks then in the inner panel's
  // later columns is done here by whoever gets it. `row`: its elements in those columns.
  void complete_row(const Own& own, const InnerPanel& inner, const Part& part, std::int64_t column,
                    Real* row) const {
    if constexpr (parts == 1) {
      if (column == inner.first) return;
      const bool is_first = column == part.first;
      const std::int64_t end = (is_first ? inner.end : part.end) - inner.first;
      for (std::int64_t k = is_first ? column - columns_of_part : column - 1; k < column; ++k) {
        const Real multiplier = row[k - inner.first];
        const Real* const of_k = top_row(own, k) + inner.first;
        for (std::int64_t j = column + 1 - inner.first; j < end; ++j)
          row[j] -= multiplier * of_k[j];
      }
    }
  }

  // Works on the part's columns, and proposes for the next one of them.
  void eliminate(Own& own, const InnerPanel& inner, const Part& part, std::int64_t column) {
    int best = -1;
    Real size = -2;
    for (int thread = 0; thread < threads_; ++thread) {
      const Candidate& candidate = candidates_[static_cast<std::size_t>(2 * thread + column % 2)];
      wait_awake([&] { return candidate.columns.load(std::memory_order_acquire) > column; });
      if (candidate.size <= size) continue;
      for (std::int64_t i = 0; i < parts * inner_width; i += 64 / sizeof(Real))
        __builtin_prefetch(candidate_of(thread, column) + i);
      size = candidate.size;
      best = thread;
    }
    const std::int64_t pivot = candidates_[static_cast<std::size_t>(2 * best + column % 2)].row;
    const std::int64_t begin = parts * inner.first, end = parts * inner.end;
    Real* const row = top_row(own, column);
    own.pivots[static_cast<std::size_t>(column - inner.first)] = pivot;
    std::copy_n(candidate_of(best, column), end - begin, row + begin);
    complete_row(own, inner, part, column, row + begin);
    if (own.has(pivot) && pivot != column) {
      std::array<Real, 2 * inner_width> other;
      std::copy_n(displaced(column), end - begin, other.data());
      complete_row(own, inner, part, column, other.data());
      take_row(other.data(), begin, end, own, pivot);
    }
    if (own.has(column)) {
      Real* const done = own.stored.data + (column - own.first);
      for (std::int64_t j = begin; j < end; ++j) done[j * own.stored.ld] = Real(0);
    }
    const T value = element(row + parts * column, 1);
    if (own.thread == 0) {
      pivots_[column] = static_cast<std::int32_t>(pivot + 1);
      if (value == T(0) && info_ == 0) info_ = static_cast<int>(column + 1);
    }
    own.shrink(column + 1);
    const bool divides = !(std::abs(value) >= std::numeric_limits<Real>::min());
    const std::int64_t next = column + 1;
    if constexpr (parts == 1) {
      const Largest most =
          loops_.eliminate(own.stored, column, std::min(next + 1, part.end), row, divides);
      if (next == part.end) return;
      propose(own, inner, next, most);
      if (next + 1 < part.end)
        loops_.update(own.stored, column, 1, next + 1, part.end, row, places_.width);
    } else {
      const Largest most = eliminate_complex(own, inner, column, value, divides);
      if (next < inner.end) propose(own, inner, next, most);
    }
  }

  // Updates the inner panel's columns behind a part of it, and proposes for the first of them.
  void update_inner(const Own& own, const InnerPanel& inner, const Part& part) {
    const std::int64_t next = part.end;
    for (std::int64_t i = part.first + 1; i < next; ++i)
      for (std::int64_t k = part.first; k < i; ++k) {
        const Real multiplier = top_row(own, i)[k];
        for (std::int64_t j = next; j < inner.end; ++j)
          top_row(own, i)[j] -= multiplier * top_row(own, k)[j];
      }
    const auto update = [&](std::int64_t begin, std::int64_t end) {
      loops_.update(own.stored, part.first, next - part.first, begin, end, top_row(own, part.first),
                    places_.width);
    };
    update(next, next + 1);
    propose(own, inner, next, largest(own, next));
    update(next + 1, inner.end);
  }

  Largest eliminate_complex(const Own& own, const InnerPanel& inner, std::int64_t column, T pivot,
                            bool divides) const {
    Real* const row = top_row(own, column);
    turn(row, inner.first, inner.end);
    Real* const re = own.stored.column(2 * column);
    Real* const im = re + own.stored.ld;
    if (divides && pivot != T(0)) {
      for (std::int64_t i = own.stored.begin; i < own.stored.end; ++i) {
        const T quotient = T(re[i], im[i]) / pivot;
        re[i] = quotient.real();
        im[i] = quotient.imag();
      }
    } else if (pivot != T(0)) {
      const T by = T(1) / pivot;
      loops_.scale(re, im, own.stored.begin, own.stored.end, by.real(), by.imag());
    }
    if (column + 1 == inner.end) return {};
    loops_.update(own.stored, 2 * column, 2, 2 * column + 2, 2 * inner.end, row, places_.width);
    return largest(own, column + 1);
  }
  // Makes the second of the two rows that stand for a complex row of U.
  void turn(Real* row, std::int64_t begin, std::int64_t end) const {
    Real* const turned = row + places_.width;
    for (std::int64_t j = begin; j < end; ++j) {
      turned[2 * j] = -row[2 * j + 1];
      turned[2 * j + 1] = row[2 * j];
    }
  }

  // Does the inner panel's swaps in all columns but its own. No thread proposes for the next column
  // before it has read the rows here, and none swaps again before all have proposed for that.
  void swap_rows(Own& own, const InnerPanel& inner) {
    const RowSwaps swaps(inner.first, inner.end, own.pivots.data());
    const auto each_side = [&](auto&& part) {
      part(std::int64_t{0}, parts * inner.first, std::int64_t{0});
      part(parts * inner.end, parts * columns_, parts * inner.first);
    };
    const auto give = [&](std::int64_t row, Real* to) {
      if (own.has(row))
        each_side([&](std::int64_t begin, std::int64_t end, std::int64_t at) {
          copy_row(own, row, begin, end, to + at);
        });
    };
    for (std::int64_t i = 0; i < inner.end - inner.first; ++i)
      give(swaps.pivot(i), swapped(true, i));
    for (std::int64_t i = 0; i < swaps.count(); ++i) give(swaps.from(i), swapped(false, i));
    swapped_[static_cast<std::size_t>(own.thread)].columns.store(inner.end,
                                                                 std::memory_order_release);
    for (int thread = 0; thread < threads_; ++thread) {
      const auto& others = swapped_[static_cast<std::size_t>(thread)].columns;
      wait_awake([&] { return others.load(std::memory_order_acquire) >= inner.end; });
    }
    for (std::int64_t i = 0; i < inner.end - inner.first; ++i) {
      Real* const row = top_row(own, inner.first + i);
      each_side([&](std::int64_t begin, std::int64_t end, std::int64_t at) {
        std::copy_n(swapped(true, i) + at, end - begin, row + begin);
      });
      if constexpr (parts == 2) turn(row, inner.end, columns_);
    }
    for (std::int64_t i = 0; i < swaps.count(); ++i)
      if (own.has(swaps.to(i)))
        each_side([&](std::int64_t begin, std::int64_t end, std::int64_t at) {
          take_row(swapped(false, i) + at, begin, end, own, swaps.to(i));
        });
  }

  // Computes U of the pivots' rows behind the inner panel; each thread does so for itself. Of the
  // two rows that stand for a complex one, the second does not depend on the first.
  void finish_top(const Own& own, const InnerPanel& inner) const {
    const std::int64_t count = inner.end - inner.first;
    std::array<Real, inner_width> kept{};
    const auto between = [&](std::int64_t i) -> Real& {
      return top_row(own, inner.first + i)[places_.width + parts * (inner.first + i)];
    };
    if constexpr (parts == 2)
      for (std::int64_t i = 0; i < count; ++i)
        kept[static_cast<std::size_t>(i)] = std::exchange(between(i), Real(0));
    loops_.solve_top(own.top, places_.width, parts * inner.first, parts * count, parts * columns_);
    if constexpr (parts == 2)
      for (std::int64_t i = 0; i < count; ++i) between(i) = kept[static_cast<std::size_t>(i)];
  }

  const T* const from_;
  const std::int64_t from_ld_;
  T* const a_;
  const std::int64_t lda_, rows_, columns_;
  std::int32_t* const pivots_;
  const LuPanelPlaces<T> places_;
  const int threads_;
  Real* const memory_;
  std::vector<Candidate> candidates_;
  std::vector<SwappedRows> swapped_;
  const PanelLoops<Real>& loops_ = panel_loops<Real>();
  std::optional<UnitInverse<Real>> inverse_;
  int info_ = 0;
};

template <typename T>
int factorise(const LapackProblem& p, const LuPanel::Source& from, PanelInverse* inverse,
              void* memory, ThreadTeam& team) {
  Work<T> work(p, from, inverse, memory, threads_for_panel(p.m, team.size()));
  team.run(work.threads(), [&](int thread) { work.run(thread); });
  if (work.inverse()) inverse->condition = work.inverse()->condition();
  return work.info();
}

}  // namespace

LuPanel::LuPanel(ThreadTeam& team, Precision precision, std::int64_t rows, std::int64_t columns)
    : team_(team),
      precision_(precision),
      rows_(rows),
      columns_(columns),
      memory_(panel_memory(with_element_type(precision, [&](auto zero) {
        using T = decltype(zero);
        return panel_elements<LuPanelPlaces<T>>(rows, columns, team.size()) * sizeof(PartOf<T>);
      }))) {}

bool LuPanel::suits(const LapackProblem& p) const {
  return !p.empty() && p.precision == precision_ && p.n <= p.m && p.m <= rows_ && p.n <= columns_;
}

int LuPanel::factorise(const LapackProblem& p, Source from, PanelInverse* inverse) {
  return with_element_type(precision_, [&](auto zero) {
    return duoblas::factorise<decltype(zero)>(p, from, inverse, memory_.get(), team_);
  });
}

}  // namespace duoblas
