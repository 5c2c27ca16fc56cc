// Solves with triangles of a factorisation, which products do.
#include "lapack/block_steps.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "cpu/cpu_side.hpp"
#include "problem/adjoint.hpp"
#include "support/lapack_case.hpp"

namespace duoblas::test {
namespace {

constexpr std::int64_t other_rows = 3, others = 90;  // right-hand sides

// A matrix with a triangle, and right-hand sides below it or beside it.
template <typename T>
struct Triangular {
  Triangular(std::int64_t lines, const Triangle& of)
      : order(lines), triangle(of), a(order + others, order + others, 3, 5), before(a) {
    a.randomise(7);
    triangle.block = {other_rows, other_rows, order, order};
    x = {other_rows, other_rows + order, order, others - other_rows};
    if (triangle.side == Side::right) x = {x.column, x.row, x.columns, x.rows};
    // Far from singular, also where a diagonal of ones is not stored.
    for (std::int64_t j = 0; j < order; ++j)
      for (std::int64_t i = 0; i < order; ++i) {
        T& element = a.at(other_rows + j, other_rows + i);
        element = i == j ? T(2) : element / static_cast<Real<T>>(order);
      }
    before = a;
  }
  // Element of op(A), with the diagonal that is meant.
  InDoubles<T> factor(std::int64_t i, std::int64_t j) const {
    const bool turns = triangle.op != Op::none;
    if (turns) std::swap(i, j);
    if (triangle.uplo == Uplo::lower ? i < j : i > j) return 0;
    if (i == j && triangle.diag == Diag::unit) return 1;
    const InDoubles<T> stored(before.at(other_rows + j, other_rows + i));
    return turns ? conj_of(stored) : stored;
  }
  LapackProblem problem() {
    LapackProblem whole;
    whole.precision = precision_of<T>;
    whole.m = whole.n = order + others;
    whole.a = a.data();
    whole.lda = a.ld();
    return whole;
  }
  static BlockSteps steps(Engine& engine, const LapackProblem& whole, const TeamBlas* team) {
    BlockSteps of_matrix(engine, whole,
                         engine.plans().cpu_alone(precision_of<T>, Reason::none).cpu);
    of_matrix.use(team);
    return of_matrix;
  }
  void solve(Engine& engine, const TeamBlas* team = nullptr) {
    const LapackProblem whole = problem();
    steps(engine, whole, team).solve_by_halves(triangle, x);
  }
  // The largest difference of op(A) X, or X op(A), from the right-hand sides, in roundings.
  double error() const {
    const bool is_left = triangle.side == Side::left;
    double largest = 0;
    for (std::int64_t i = 0; i < x.rows; ++i)
      for (std::int64_t j = 0; j < x.columns; ++j) {
        InDoubles<T> sum = -InDoubles<T>(before.at(x.column + j, x.row + i));
        double sizes = 0;
        for (std::int64_t k = 0; k < order; ++k) {
          const InDoubles<T> term =
              is_left ? factor(i, k) * InDoubles<T>(a.at(x.column + j, x.row + k))
                      : InDoubles<T>(a.at(x.column + k, x.row + i)) * factor(k, j);
          sum += term;
          sizes += std::abs(term);
        }
        largest = std::max(largest, std::abs(sum) / sizes);
      }
    return largest / static_cast<double>(std::numeric_limits<Real<T>>::epsilon());
  }
  bool others_are_as_they_were() const {
    for (std::int64_t j = 0; j < a.lines(); ++j)
      for (std::int64_t i = 0; i < a.length(); ++i) {
        const bool is_x =
            i >= x.row && i < x.row + x.rows && j >= x.column && j < x.column + x.columns;
        if (!is_x && a.at(j, i) != before.at(j, i)) return false;
      }
    return a.guards_untouched();
  }

  std::int64_t order;
  Triangle triangle;
  Block x;
  Columns<T> a, before;
};

template <typename T>
std::vector<Triangle> triangles() {
  const Op turned = adjoint(precision_of<T>);
  return {{{}, Side::left, Uplo::lower, Op::none, Diag::unit},
          {{}, Side::left, Uplo::upper, turned, Diag::non_unit},
          {{}, Side::left, Uplo::upper, Op::none, Diag::non_unit},
          {{}, Side::right, Uplo::upper, Op::none, Diag::non_unit},
          {{}, Side::right, Uplo::lower, turned, Diag::non_unit}};
}

// Null, and a team with more threads than a small machine has cores.
template <typename T>
std::vector<std::unique_ptr<TeamBlas>> teams() {
  static auto* const side = [] {
    CpuLimits limits = cpu_limits("", 0);
    limits.threads = 5;
    return new CpuSide(limits, "");
  }();
  std::vector<std::unique_ptr<TeamBlas>> both(2);
  both[1] = team_blas_for(*side, precision_of<T>, side->all_cores(""));
  EXPECT_NE(both[1], nullptr);
  return both;
}

TEST(BlockSteps, SolveByHalvesWithEverySizeAndTriangle) {
  Engine engine(forced_lapack());
  for_all_types([&](auto zero) {
    using T = decltype(zero);
    for (const auto& team : teams<T>())
      for (const Triangle& triangle : triangles<T>())
        for (const std::int64_t order : {1, 7, 63, 64, 65, 128, 200, 256}) {
          SCOPED_TRACE(std::string(1, letter(precision_of<T>)) + ", " + std::to_string(order) +
                       (triangle.side == Side::left ? " left" : " right"));
          Triangular<T> matrix(order, triangle);
          matrix.solve(engine, team.get());
          EXPECT_LT(matrix.error(), 64);
          EXPECT_TRUE(matrix.others_are_as_they_were());
        }
  });
}

// 1, -c, -c, ..: the inverse grows with powers of 1 + c. What is multiplied with it loses as many
// digits. Of 0.1, 0.25 and 0.6 parts of 32, 16 and 8 lines are inverted, and of 1.5 none.
TEST(BlockSteps, SolveByHalvesWhereInversesWouldLoseDigits) {
  Engine engine(forced_lapack());
  for_all_types([&](auto zero) {
    using T = decltype(zero);
    for (const auto& team : teams<T>())
      for (const Triangle& triangle : triangles<T>())
        for (const double c : {0.1, 0.25, 0.6, 1.5}) {
          SCOPED_TRACE(letter(precision_of<T>) + std::to_string(c));
          const std::int64_t order = c > 1 ? 64 : 128;  // a float holds 2.5^63
          Triangular<T> matrix(order, triangle);
          for (std::int64_t j = 0; j < order; ++j)
            for (std::int64_t i = 0; i < order; ++i)
              matrix.a.at(other_rows + j, other_rows + i) =
                  T(static_cast<Real<T>>(i == j ? 1 : -c));
          matrix.before = matrix.a;
          matrix.solve(engine, team.get());
          EXPECT_LT(matrix.error(), 64);
          EXPECT_TRUE(matrix.others_are_as_they_were());
        }
  });
}

// Rows of U beside a panel, by inverses that were made before. Blocks that have none are solved
// with.
TEST(BlockSteps, CompleteRowsByInversesThatAreThere) {
  Engine engine(forced_lapack());
  for_all_types([&](auto zero) {
    using T = decltype(zero);
    for (const auto& team : teams<T>())
      for (const std::int64_t order : {7, 64, 100, 200}) {
        SCOPED_TRACE(std::string(1, letter(precision_of<T>)) + ", " + std::to_string(order));
        Triangular<T> matrix(order, triangles<T>().front());
        std::vector<std::int32_t> pivots(static_cast<std::size_t>(other_rows + order));
        for (std::int64_t i = 0; i < other_rows + order; ++i)
          pivots[static_cast<std::size_t>(i)] = static_cast<std::int32_t>(order + i % 50);
        LapackProblem whole = matrix.problem();
        whole.pivots = pivots.data();
        const BlockSteps steps = matrix.steps(engine, whole, team.get());
        InvertedBlocks inverted{{precision_of<T>, order, BlockSteps::solved_leaf}, other_rows};
        for (std::int64_t first = 0; first < order; first += 2 * BlockSteps::solved_leaf) {
          const std::int64_t lines = std::min(BlockSteps::solved_leaf, order - first);
          steps.invert({other_rows + first, other_rows + first, lines, lines}, inverted);
        }
        const Interval panel{other_rows, order}, columns{matrix.x.column, matrix.x.columns};
        steps.complete_rows(panel, columns, inverted);
        EXPECT_TRUE(matrix.a.guards_untouched());
        // What was exchanged is where the solution is compared with.
        LapackProblem as_before = whole;
        as_before.a = matrix.before.data();
        matrix.steps(engine, as_before, nullptr)
            .swap_rows(panel.first, panel.first + order, columns.first, columns.count);
        EXPECT_LT(matrix.error(), 64);
        EXPECT_TRUE(matrix.others_are_as_they_were());
      }
  });
}

TEST(BlockSteps, SolveByHalvesWithWhatIsNotFinite) {
  Engine engine(forced_lapack());
  for (const std::int64_t order : {64, 200}) {
    Triangular<double> matrix(order, triangles<double>().front());
    matrix.a.at(other_rows, other_rows + 1) = std::numeric_limits<double>::infinity();
    matrix.solve(engine);
    EXPECT_FALSE(std::isfinite(matrix.a.at(matrix.x.column, matrix.x.row + 1)));
    EXPECT_EQ(matrix.a.at(matrix.x.column, matrix.x.row),
              matrix.before.at(matrix.x.column, matrix.x.row));
  }
}

TEST(BlockSteps, ExchangeRowsOnATeamAsTheCpuBlasDoes) {
  Engine engine(forced_lapack());
  for_all_types([&](auto zero) {
    using T = decltype(zero);
    constexpr std::int64_t n = 150, first = 20, last = 70;
    Columns<T> columns(n, n, 3, 5);
    columns.randomise(9);
    std::vector<std::int32_t> pivots(n);
    for (std::size_t i = 0; i < pivots.size(); ++i)
      pivots[i] = static_cast<std::int32_t>(i + 1 + (i * 7) % (pivots.size() - i));
    std::vector<Columns<T>> results;
    for (const auto& team : teams<T>()) {
      Columns<T>& a = results.emplace_back(columns);
      LapackProblem whole;
      whole.precision = precision_of<T>;
      whole.m = whole.n = n;
      whole.a = a.data();
      whole.lda = a.ld();
      whole.pivots = pivots.data();
      BlockSteps steps(engine, whole, engine.plans().cpu_alone(precision_of<T>, Reason::none).cpu);
      steps.use(team.get());
      steps.swap_rows(first, last, 1, n - 2);
      EXPECT_TRUE(a.guards_untouched());
    }
    for (std::int64_t j = 0; j < n; ++j)
      for (std::int64_t i = 0; i < n; ++i)
        ASSERT_EQ(results[0].at(j, i), results[1].at(j, i)) << i << ' ' << j;
    EXPECT_NE(results[0].at(1, first), columns.at(1, first));
  });
}

}  // namespace
}  // namespace duoblas::test
