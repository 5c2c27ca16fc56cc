#include "gpu/lapack/row_exchange.hpp"

#include <algorithm>
#include <iterator>
#include <memory>
#include <random>
#include <string>
#include <type_traits>

#include "gpu/kernels/kernel_arguments.hpp"
#include "gpu/kernels/kernel_cache.hpp"
#include "gpu/kernels/trial_numbers.hpp"
#include "problem/element_types.hpp"

namespace duoblas {
namespace {

int group_of(const TargetDevice& device) {
  constexpr std::size_t most = 128;
  return device.limits.is_cpu
             ? 1
             : static_cast<int>(
                   std::min(most, static_cast<std::size_t>(device.limits.max_work_group_size)));
}

cl::Event enqueue(const TargetDevice& device, cl::Queue& queue, Precision precision,
                  BuiltProgram& built, std::int64_t rows, const RowMoves& moves,
                  const ExchangeOperands& operands) {
  cl::Kernel& kernel = built.kernel("exchange");
  KernelArguments(kernel, precision)
      .size(rows)
      .operand(operands.matrix)
      .operand(operands.pivots)
      .buffer(*operands.moves)
      .offset(operands.moves_offset)
      .size(moves.width)
      .size(moves.count);
  constexpr std::int64_t most_groups = 65535;
  const auto group = static_cast<std::size_t>(group_of(device));
  const auto groups = static_cast<std::size_t>(std::min(rows, most_groups));
  return queue.enqueue(kernel, {{groups * group, 1}, {group, 1}});
}

template <typename T, typename Draw>
T drawn(Draw&& draw) {
  if constexpr (std::is_floating_point_v<T>) {
    return static_cast<T>(draw());
  } else {
    using Part = typename T::value_type;
    const auto re = static_cast<Part>(draw());
    return T(re, static_cast<Part>(draw()));
  }
}

// Covers swaps within the panel's rows, with other rows, with the same row twice, and with itself.
template <typename T>
std::string wrong_exchange(const TargetDevice& device, BuiltProgram& built, std::uint64_t seed) {
  constexpr std::int64_t rows = 5, columns = 41, first = 7, width = 6;
  const std::vector<std::int32_t> swaps = {10, 30, 9, 30, 41, 13};
  std::mt19937_64 engine(seed);
  std::uniform_real_distribution<double> uniform(-1, 1);
  std::vector<T> matrix(rows * columns), pivots(rows * width);
  for (T& element : matrix) element = drawn<T>([&] { return uniform(engine); });
  std::vector<T> swapped = matrix, of_panel = pivots;
  for (std::int64_t row = 0; row < rows; ++row) {
    T* const line = swapped.data() + row * columns;
    for (std::int64_t i = 0; i < width; ++i)
      std::swap(line[first + i], line[swaps[static_cast<std::size_t>(i)] - 1]);
    std::copy_n(line + first, width, of_panel.data() + row * width);
    // In the panel's rows the kernel leaves the old contents.
    std::copy_n(matrix.data() + row * columns + first, width, line + first);
  }
  const RowMoves moves = row_moves(first, width, swaps.data());
  cl::Queue queue(device.context);
  const auto buffer = [&](const auto& numbers) {
    return copied_to(device.context, queue, numbers);
  };
  const auto on_device = buffer(matrix), collected = buffer(pivots), of_moves = buffer(moves.moves);
  const cl::Event done = enqueue(
      device, queue, precision_of<T>, built, rows, moves,
      {{on_device, 0, columns * sizeof(T)}, {collected, 0, width * sizeof(T)}, of_moves.get()});
  queue.finish();
  queue.check_ended(done);
  copy_back(queue, *on_device, matrix);
  copy_back(queue, *collected, pivots);
  return matrix == swapped && pivots == of_panel ? "" : "rows are not where they belong";
}

struct ExchangeProgram {
  Precision precision;
  int group;

  ProgramNumber number() const {
    return program_number({field_of(RoutineProgramKind::exchange),
                           {static_cast<int>(precision_index(precision)), 4},
                           {group, 2048}});
  }

  ProgramText text() const {
    const std::string element =
        std::string(is_double(precision) ? "double" : "float") + (is_complex(precision) ? "2" : "");
    ProgramOptions options;
    options.define("ELEMENT", element).define("WIDTH", most_exchanged).define("GROUP", group);
    return {std::string(1, letter(precision)) + "getrf's swaps",
            {"exchange.cl"},
            options.text(),
            {"exchange"}};
  }

  std::string what_is_wrong(const TargetDevice& device, BuiltProgram& built,
                            std::uint64_t seed) const {
    return with_element_type(
        precision, [&](auto zero) { return wrong_exchange<decltype(zero)>(device, built, seed); });
  }
};

BuiltProgram& built_exchange(OpenedDevice& device, Precision precision) {
  return device.kernels.get(ExchangeProgram{precision, group_of(device)});
}

}  // namespace

RowMoves row_moves(std::int64_t first, std::int64_t width, const std::int32_t* pivots) {
  RowMoves result;
  result.width = width;
  // Rows that are swapped: the panel's, then the others in their order.
  std::vector<std::int32_t> rows;
  for (std::int64_t i = 0; i < width; ++i) rows.push_back(static_cast<std::int32_t>(first + i));
  std::copy_if(pivots, pivots + width, std::back_inserter(rows),
               [&](std::int32_t pivot) { return pivot > first + width; });
  const auto others = rows.begin() + width;
  std::for_each(others, rows.end(), [](std::int32_t& pivot) { --pivot; });
  std::sort(others, rows.end());
  rows.erase(std::unique(others, rows.end()), rows.end());
  std::vector<std::int32_t> whose = rows;  // what each of them has by now
  for (std::int64_t i = 0; i < width; ++i) {
    const std::int64_t pivot = pivots[i] - 1;
    const auto place =
        pivot < first + width
            ? pivot - first
            : std::lower_bound(rows.begin() + width, rows.end(), pivot) - rows.begin();
    std::swap(whose[static_cast<std::size_t>(i)], whose[static_cast<std::size_t>(place)]);
  }
  result.moves.assign(whose.begin(), whose.begin() + width);
  std::vector<std::int32_t> back;
  for (auto i = static_cast<std::size_t>(width); i < rows.size(); ++i) {
    if (rows[i] == whose[i]) continue;
    result.moves.push_back(rows[i]);
    back.push_back(whose[i]);
  }
  result.count = static_cast<std::int64_t>(back.size());
  result.moves.insert(result.moves.end(), back.begin(), back.end());
  return result;
}

bool exchanges_rows(const LapackProblem& p) {
  return p.routine == LapackRoutine::getrf ||
         (p.routine == LapackRoutine::getrs && p.op == Op::none);
}

TriedProgram exchange_program(const TargetDevice& device, Precision precision) {
  return tried(ExchangeProgram{precision, group_of(device)});
}

void prepare_exchange(OpenedDevice& device, Precision precision) {
  built_exchange(device, precision);
}

cl::Event submit_exchange(OpenedDevice& device, Precision precision, std::int64_t rows,
                          const RowMoves& moves, const ExchangeOperands& operands) {
  return enqueue(device, device.queue, precision, built_exchange(device, precision), rows, moves,
                 operands);
}

}  // namespace duoblas
