// A small panel of several groups, and rows of U beside it, for a trial before anybody uses the
// program. Pivots of numbers that are nearly equal depend on roundings. So they are not compared
// with others', but the factors are multiplied, and no multiplier may be larger than 1.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "gpu/kernels/trial_numbers.hpp"
#include "gpu/lapack/panels_on_device.hpp"
#include "problem/element_types.hpp"

namespace duoblas {
namespace {

constexpr std::int64_t first = 3, behind = 2, columns_beside = 11;

template <typename T>
struct PanelTrial {
  PanelTrial(const PanelAbility& ability, std::int64_t columns, std::uint64_t seed)
      : width(columns),
        rows(rows_of(ability, columns)),
        pitch(first + rows + behind),
        before(static_cast<std::size_t>((columns + columns_beside) * pitch)),
        moves(static_cast<std::size_t>(3 * columns)),
        results(PanelsOnDevice::result_bytes(columns) / sizeof(std::int32_t)) {
    std::mt19937_64 engine(seed);
    std::uniform_real_distribution<T> uniform(-1, 1);
    for (T& element : before) element = uniform(engine);
    for (std::int64_t i = tie; i < rows; i += 7) at(before, 0, i) = i % 2 == 0 ? T(2) : T(-2);
    after = before;
  }
  static std::int64_t rows_of(const PanelAbility& ability, std::int64_t columns) {
    // With more groups than 32 all loops of a choice among groups take a second turn.
    const std::int64_t all = ability.rows_of_group * std::clamp<int>(ability.groups, 1, 34);
    return std::max(columns, all - 5);
  }
  T& at(std::vector<T>& of, std::int64_t column, std::int64_t row) const {
    return of[static_cast<std::size_t>(column * pitch + first + row)];
  }

  std::string what_is_wrong() {
    if (results[static_cast<std::size_t>(width)] != 0) throw GroupsApart();
    std::vector<std::int64_t> row_of(static_cast<std::size_t>(pitch));
    std::iota(row_of.begin(), row_of.end(), 0);
    std::vector<std::int64_t> moved = row_of;
    for (std::int64_t j = 0; j < width; ++j) {
      const std::int64_t pivot = results[static_cast<std::size_t>(j)] - 1;
      if (pivot < first + j || pivot >= first + rows) return "a pivot is not a row of the panel";
      std::swap(row_of[static_cast<std::size_t>(first + j)],
                row_of[static_cast<std::size_t>(pivot)]);
    }
    if (results[0] - 1 != first + tie) return "of equal candidates the first one is not the pivot";
    if (!moves_as(row_of, moved)) return "the moves are not the pivots'";
    return what_is_wrong(row_of);
  }

  const std::int64_t width, rows, pitch;
  std::vector<T> before, after;
  std::vector<std::int32_t> moves, results;

 private:
  static constexpr std::int64_t tie = 5;

  bool moves_as(const std::vector<std::int64_t>& row_of, std::vector<std::int64_t>& moved) const {
    for (std::int64_t i = 0; i < 3 * width; ++i)
      if (const auto row = moves[static_cast<std::size_t>(i)]; row < first || row >= first + rows)
        return false;
    const auto move = [&](std::int64_t i) { return moves[static_cast<std::size_t>(i)]; };
    const std::vector<std::int64_t> old = moved;
    for (std::int64_t i = 0; i < width; ++i)
      moved[static_cast<std::size_t>(move(width + i))] =
          old[static_cast<std::size_t>(move(2 * width + i))];
    for (std::int64_t i = 0; i < width; ++i)
      moved[static_cast<std::size_t>(first + i)] = old[static_cast<std::size_t>(move(i))];
    return moved == row_of;
  }

  // L U against the old rows in their new places; behind the panel's rows of columns beside it
  // these rows themselves.
  std::string what_is_wrong(const std::vector<std::int64_t>& row_of) {
    constexpr double unit = std::numeric_limits<T>::epsilon();
    for (std::int64_t j = 0; j < width + columns_beside; ++j)
      for (std::int64_t row = -first; row < rows + behind; ++row) {
        const double old = before[static_cast<std::size_t>(
            j * pitch + row_of[static_cast<std::size_t>(first + row)])];
        const double now = at(after, j, row);
        if (row < 0 || row >= rows || (j >= width && row >= width)) {
          if (now != old) return "a number changed that is not the panel's";
          continue;
        }
        const std::int64_t end = std::min(row, j < width ? j + 1 : width);
        double sum = row <= j || j >= width ? now : 0, sizes = std::abs(sum);
        for (std::int64_t k = 0; k < end; ++k) {
          const double l = at(after, k, row), u = at(after, j, k);
          if (!(std::abs(l) <= 1 + 4 * unit)) return "a multiplier is larger than 1";
          sum += l * u;
          sizes += std::abs(l * u);
        }
        if (!(std::abs(sum - old) <= 8 * static_cast<double>(end + 8) * unit * sizes))
          return "the factors' product is not the panel";
      }
    return {};
  }
};

template <typename T>
std::string wrong(const TargetDevice& device, std::int64_t width, BuiltProgram& built,
                  std::uint64_t seed) {
  PanelTrial<T> trial(device.panels, width, seed);
  constexpr Precision precision = precision_of<T>;
  cl::Queue queue(device.context);
  const auto buffer = [&](const auto& numbers) {
    return copied_to(device.context, queue, numbers);
  };
  const auto words = PanelBoards(device.panels.rows_of_group, trial.rows, width).words;
  const auto matrix = buffer(trial.before), of_moves = buffer(trial.moves);
  const auto results = buffer(trial.results);
  const auto boards = buffer(std::vector<T>(static_cast<std::size_t>(2 * words)));
  const std::size_t pitch = static_cast<std::size_t>(trial.pitch) * sizeof(T);
  const BoundOperand column{matrix, first * sizeof(T), pitch}, moves{of_moves, 0, 0};
  const BoundOperand beside{matrix, static_cast<std::size_t>(width) * pitch, pitch};
  const cl::Event panel = enqueue_panel(device, queue, precision, width, built,
                                        {trial.rows,
                                         first,
                                         column,
                                         moves,
                                         boards.get(),
                                         static_cast<std::uint64_t>(words),
                                         true,
                                         {results, 0, 0}});
  const cl::Event rows =
      enqueue_rows(queue, precision, width, built, first, columns_beside, beside, column, moves);
  queue.finish();
  queue.check_ended(panel);
  queue.check_ended(rows);
  copy_back(queue, *matrix, trial.after);
  copy_back(queue, *of_moves, trial.moves);
  copy_back(queue, *results, trial.results);
  return trial.what_is_wrong();
}

}  // namespace

std::string wrong_in_panels(const TargetDevice& device, Precision precision, std::int64_t width,
                            BuiltProgram& built, std::uint64_t seed) {
  return is_double(precision) ? wrong<double>(device, width, built, seed)
                              : wrong<float>(device, width, built, seed);
}

}  // namespace duoblas
