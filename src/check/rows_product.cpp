#include "check/rows_product.hpp"

#include <algorithm>
#include <cstddef>
#include <deque>
#include <utility>
#include <vector>

namespace duoblas {
namespace {

// Each element twice: once for the real part, once for the imaginary one.
std::vector<double> for_both_parts(const std::vector<double>& values) {
  std::vector<double> twice(2 * values.size());
  for (std::size_t i = 0; i < values.size(); ++i) twice[2 * i] = twice[2 * i + 1] = values[i];
  return twice;
}

// op(M) times vectors, some stored rows at a time.
template <typename R>
class RowsProduct {
 public:
  // \pre vectors of a real matrix are real, of a complex one that is not turned complex. Both
  // outlive this object.
  RowsProduct(const StoredMatrix<R>& matrix, const Vectors& v, Sizes sizes)
      : matrix_(matrix), v_(v), sizes_(sizes), result_(matrix.lines(), matrix.parts, v.count) {
    if (is_turned_) make_blocks();
    if (is_straight_) matrix.parts == 1 ? take_weights() : make_weights();
  }

  // Adds what these rows contribute. What lies beside the diagonal of a few rows is a rectangle. It
  // counts for these rows, or turned for others, or for both. The rest is added element by element.
  void add(std::int64_t begin, std::int64_t end) {
    const bool is_general = matrix_.shape == MatrixShape::general;
    const bool is_lower = matrix_.uplo == Uplo::lower;
    const std::int64_t at_once = is_general && !is_turned_ ? end - begin : rows_added_at_once;
    for (std::int64_t first = begin; first < end; first += at_once) {
      const std::int64_t last = std::min(first + at_once, end);
      Interval beside = matrix_.stored_of(is_lower ? first : last);
      if (!is_general && is_lower) beside.count = std::min(first, matrix_.columns);
      if (is_straight_) add_straight(first, last, beside);
      if (is_turned_) add_turned(first, last, beside);
      for (std::int64_t row = first; !is_general && row < last; ++row) {
        const Interval all = matrix_.stored_of(row);
        const std::int64_t from = is_lower ? beside.count : all.first;
        const std::int64_t to = is_lower ? all.count : beside.first;
        for (std::int64_t column = from; column < to; ++column) {
          if (is_straight_) add_element(row, column);
          if (is_turned_ && (!is_straight_ || row != column)) add_element(column, row);
        }
      }
    }
  }

  Vectors take() {
    if (is_turned_) end_block();
    for (std::size_t i = 0; i < sizes_of_reals_.size(); i += 2)
      result_.sizes[i / 2] += sizes_of_reals_[i] + sizes_of_reals_[i + 1];
    return std::move(result_);
  }

 private:
  using Dots = decltype(RowSums<R>::dot_and_magnitude);

  // Of the reals of a row: two sets that are multiplied by it at once, or one; and where the first
  // row's sums are.
  struct Weights {
    const double *first, *second;
    double *sum, *second_sum;
    Dots dots;
  };

  // Rows times these factors, one of each, are added to these sums.
  struct AddedRows {
    const double* factors;
    double* sums;
  };

  void use(const double* first, const double* second) {
    const std::size_t which = weights_.size();
    double* const sum = result_.values[which].data();
    weights_.push_back(
        {first, second, sum, matrix_.parts == 2 ? sum + 1 : result_.values[1].data(),
         loops_.dots[second == nullptr ? 0 : 1][place_of(which == 0 ? sizes_ : Sizes::none)]});
  }
  void take_weights() {
    use(v_.values[0].data(), v_.count == 2 ? v_.values[1].data() : nullptr);
    of_sizes_ = v_.sizes.data();
  }
  // The real part of a product of complex numbers is a sum over both parts of the row with some
  // weights, and the imaginary part is another such sum.
  void make_weights() {
    const double sign = straight_conjugated_ ? -1 : 1;
    made_.push_back(for_both_parts(v_.sizes));
    of_sizes_ = made_.back().data();
    for (int which = 0; which < v_.count; ++which) {
      std::vector<double> real = v_.values[index(which)], imaginary(real.size());
      for (std::size_t i = 0; i < real.size(); i += 2) {
        imaginary[i] = real[i + 1];
        imaginary[i + 1] = sign * real[i];
        real[i + 1] *= -sign;
      }
      use(real.data(), imaginary.data());
      made_.push_back(std::move(real));
      made_.push_back(std::move(imaginary));
    }
  }

  // Many rows are added up before they join the total: the errors of a sum grow with the number of
  // its terms. Few rows are the total, unless parts of complex numbers have to be combined.
  void make_blocks() {
    const std::size_t reals = index(matrix_.columns * matrix_.parts);
    const bool is_total = matrix_.parts == 1 && matrix_.rows <= rows_of_block;
    if (!is_total) blocks_.assign(index(v_.count * v_.parts), std::vector<double>(reals));
    for (int sum = 0; sum < v_.count * v_.parts; ++sum) {
      const std::size_t which = index(sum / v_.parts);
      added_.push_back({v_.values[which].data() + sum % v_.parts,
                        (is_total ? result_.values[which] : blocks_[index(sum)]).data()});
    }
    if (matrix_.parts == 2 && sizes_ != Sizes::none) sizes_of_reals_.resize(reals);
    sums_of_sizes_ = (matrix_.parts == 2 ? sizes_of_reals_ : result_.sizes).data();
  }

  void add_straight(std::int64_t begin, std::int64_t end, Interval columns) {
    const std::int64_t parts = matrix_.parts, from = columns.first * parts;
    const std::int64_t count = std::min(columns.count, v_.known - columns.first) * parts;
    if (count <= 0) return;
    double* const sums_of_sizes = result_.sizes.data();
    for (std::int64_t row = begin; row < end; ++row)
      for (const Weights& w : weights_) {
        const double* const second = w.second == nullptr ? nullptr : w.second + from;
        const RowSum sum =
            w.dots(matrix_.row(row) + from, w.first + from, second, of_sizes_ + from, count);
        w.sum[row * parts] += sum.of_set(0);
        if (second != nullptr) w.second_sum[row * parts] += sum.of_set(1);
        sums_of_sizes[row] += sum.size;
      }
  }

  void add_turned(std::int64_t begin, std::int64_t end, Interval columns) {
    const std::int64_t from = columns.first * matrix_.parts, parts = v_.parts;
    const R* rows[rows_added_at_once];
    std::int64_t of_rows[rows_added_at_once];
    double of_sizes[rows_added_at_once] = {};
    int added = 0;
    for (std::int64_t row = begin; row < std::min(end, v_.known); ++row) {
      const double size = v_.sizes[index(row)];
      if (v_.skips_zeros && size == 0) continue;
      rows[added] = matrix_.row(row) + from;
      of_rows[added] = row * parts;
      of_sizes[added++] = size;
    }
    if (added == 0 || columns.count <= 0) return;
    std::fill(rows + added, rows + rows_added_at_once, rows[0]);
    Sizes summed = sizes_;
    for (const AddedRows& of : added_) {
      double weights[rows_added_at_once] = {};
      for (int r = 0; r < added; ++r) weights[r] = of.factors[of_rows[r]];
      loops_.add_rows[place_of(std::exchange(summed, Sizes::none))](
          rows, weights, of_sizes, columns.count * matrix_.parts, of.sums + from,
          sums_of_sizes_ == nullptr ? nullptr : sums_of_sizes_ + from);
    }
    if ((in_block_ += rows_added_at_once) >= rows_of_block) end_block();
  }

  void add_element(std::int64_t i, std::int64_t j) {
    if (j >= v_.known) return;
    const std::complex<double> element = matrix_.at(i, j);
    for (int which = 0; which < v_.count; ++which)
      result_.set(i, result_.at(i, which) + multiplied(element, v_.at(j, which)), which);
    if (sizes_ != Sizes::none)
      result_.sizes[index(i)] +=
          (sizes_ == Sizes::squares ? std::norm(element) : one_norm(element)) * v_.sizes[index(j)];
  }

  void end_block() {
    const double sign = turned_conjugated_ ? -1 : 1;
    for (std::size_t sum = 0; sum < blocks_.size(); ++sum) {
      double* const values = result_.values[sum / index(v_.parts)].data();
      std::vector<double>& block = blocks_[sum];
      const bool by_imaginary = v_.parts == 2 && sum % 2 == 1;
      if (matrix_.parts == 1)
        for (std::size_t i = 0; i < block.size(); ++i) values[i] += block[i];
      else
        for (std::size_t i = 0; i < block.size(); i += 2) {
          values[i] += by_imaginary ? -sign * block[i + 1] : block[i];
          values[i + 1] += by_imaginary ? block[i] : sign * block[i + 1];
        }
      std::ranges::fill(block, 0);
    }
    in_block_ = 0;
  }

  static constexpr int rows_of_block = 32;

  const StoredMatrix<R> matrix_;
  const Vectors& v_;
  const Sizes sizes_;
  const RowSums<R>& loops_ = row_sums<R>();
  const bool is_straight_ = matrix_.is_whole() || !matrix_.turned;
  const bool is_turned_ = matrix_.is_whole() || matrix_.turned;
  const bool is_hermitian_ = matrix_.shape == MatrixShape::hermitian;
  const bool straight_conjugated_ = matrix_.conjugated != (is_hermitian_ && matrix_.turned);
  const bool turned_conjugated_ = straight_conjugated_ != is_hermitian_;
  std::vector<std::vector<double>> made_;  // weights that v does not have as they are
  std::vector<Weights> weights_;
  const double* of_sizes_ = nullptr;
  std::vector<std::vector<double>> blocks_;  // for each real of an element of each vector
  std::vector<AddedRows> added_;
  std::vector<double> sizes_of_reals_;
  double* sums_of_sizes_ = nullptr;
  int in_block_ = 0;
  Vectors result_;
};

// A sum's terms stay in order, whoever has it. Pieces of rows have a KiB and more.
template <typename R, typename Alone>
Vectors by_lines(const StoredMatrix<R>& matrix, int vectors, const CheckThreads& threads,
                 const Alone& alone) {
  constexpr std::int64_t unit = 128;
  if (threads.for_bytes(matrix.bytes()) <= 1) return alone(matrix);
  Vectors whole(matrix.lines(), matrix.parts, vectors);
  threads.share(matrix.lines(), matrix.turned ? unit : 1, matrix.bytes(),
                [&](std::int64_t begin, std::int64_t end) {
                  whole.place(begin, alone(matrix.lines_from(begin, end - begin)));
                });
  return whole;
}

template <typename R>
Vectors straight_in_halves(const StoredMatrix<R>& matrix, const double* weights,
                           std::span<const std::int64_t> left_out, bool sized) {
  const auto sum_of = sized ? row_sums<R>().dot_and_magnitude : row_sums<R>().dots[0][0];
  const double sign = matrix.conjugated ? -1 : 1;
  const std::int64_t reals = matrix.columns * matrix.parts;
  std::vector<R> without(left_out.empty() ? 0 : index(reals));
  Vectors result(matrix.rows, matrix.parts, 2);
  for (std::int64_t i = 0; i < matrix.rows; ++i) {
    const R* row = matrix.row(i);
    if (!left_out.empty()) {
      std::copy_n(row, reals, without.begin());
      for (const std::int64_t column : left_out)
        std::fill_n(without.begin() + column * matrix.parts, matrix.parts, R(0));
      row = without.data();
    }
    const RowSum sum = sum_of(row, weights, nullptr, nullptr, reals);
    const double* const places = sum.places[0];
    for (std::size_t half = 0; half < 2; ++half) {
      double* const value = &result.values[half][index(i * matrix.parts)];
      value[0] = matrix.parts == 2 ? places[2 * half] : places[half] + places[half + 2];
      if (matrix.parts == 2) value[1] = sign * places[2 * half + 1];
    }
    result.sizes[index(i)] = sum.size;
  }
  return result;
}

}  // namespace

template <typename R>
Vectors times_after(const StoredMatrix<R>& matrix, const Vectors& v, Sizes sizes,
                    const CheckThreads& threads,
                    const std::function<void(std::int64_t, std::int64_t)>& before) {
  constexpr std::int64_t dealt_at_once = 16;
  const int shared_by = threads.for_bytes(matrix.bytes());
  const DealtLines dealt{matrix.rows, dealt_at_once, shared_by};
  std::deque<RowsProduct<R>> products;
  for (int piece = 0; piece < shared_by; ++piece) products.emplace_back(matrix, v, sizes);
  threads.each(shared_by, [&](std::int64_t piece) {
    dealt.of_piece(piece, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t row = begin; row < end; row += rows_added_at_once) {
        const std::int64_t last = std::min(row + rows_added_at_once, end);
        before(row, last);
        products[index(piece)].add(row, last);
      }
    });
  });
  Vectors sum = products.front().take();
  for (std::size_t piece = 1; piece < products.size(); ++piece) sum.add(products[piece].take());
  return sum;
}

template <typename R>
Vectors times(const StoredMatrix<R>& matrix, const Vectors& v, Sizes sizes,
              const CheckThreads& threads) {
  if (matrix.shape != MatrixShape::general)
    return times_after(matrix, v, sizes, threads, [](std::int64_t, std::int64_t) {});
  return by_lines(matrix, v.count, threads, [&](const StoredMatrix<R>& part) {
    RowsProduct<R> product(part, v, sizes);
    product.add(0, part.rows);
    return product.take();
  });
}

template <typename R>
Vectors times_in_halves(const StoredMatrix<R>& matrix, const Vectors& v,
                        std::span<const std::int64_t> left_out, Sizes sizes,
                        const CheckThreads& threads) {
  if (!matrix.turned) {
    const std::vector<double> twice =
        matrix.parts == 2 ? for_both_parts(v.values[0]) : std::vector<double>();
    const double* const weights = (matrix.parts == 2 ? twice : v.values[0]).data();
    return by_lines(matrix, 2, threads, [&](const StoredMatrix<R>& rows) {
      return straight_in_halves(rows, weights, left_out, sizes != Sizes::none);
    });
  }
  Vectors halves(matrix.lines(), matrix.parts, 2);
  for (std::int64_t half = 0; half < 2; ++half) {
    const StoredMatrix<R> rows = matrix.every_row(half, 2);
    Vectors of_half(rows.rows, 1);
    of_half.skips_zeros = true;
    for (std::int64_t i = 0; i < rows.rows; ++i) {
      of_half.values[0][index(i)] = v.values[0][index(2 * i + half)];
      of_half.sizes[index(i)] = v.sizes[index(2 * i + half)];
    }
    Vectors sum = times(rows, of_half, sizes, threads);
    halves.values[index(half)] = std::move(sum.values[0]);
    for (std::size_t i = 0; i < sum.sizes.size(); ++i) halves.sizes[i] += sum.sizes[i];
  }
  return halves;
}

#define DUOBLAS_INSTANTIATE(R)                                                                     \
  template Vectors times_after(const StoredMatrix<R>&, const Vectors&, Sizes, const CheckThreads&, \
                               const std::function<void(std::int64_t, std::int64_t)>&);            \
  template Vectors times(const StoredMatrix<R>&, const Vectors&, Sizes, const CheckThreads&);      \
  template Vectors times_in_halves(const StoredMatrix<R>&, const Vectors&,                         \
                                   std::span<const std::int64_t>, Sizes, const CheckThreads&)
DUOBLAS_INSTANTIATE(float);
DUOBLAS_INSTANTIATE(double);
#undef DUOBLAS_INSTANTIATE

}  // namespace duoblas
