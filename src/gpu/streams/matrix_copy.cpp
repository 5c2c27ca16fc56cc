#include "gpu/streams/matrix_copy.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <limits>
#include <random>
#include <span>

#include "gpu/kernels/kernel_arguments.hpp"
#include "gpu/kernels/trial_numbers.hpp"
#include "gpu/streams/routine_start.hpp"
#include "kernel_space/device_blocks.hpp"
#include "problem/host_rect.hpp"
#include "problem/rounding.hpp"

namespace duoblas {
namespace {

std::size_t groups(std::int64_t whole, std::int64_t part) {
  return static_cast<std::size_t>(parts(whole, part));
}

cl::Range range_of(const TargetDevice& device, const CopyProblem& p, const CopyKernel& kernel) {
  const auto across = static_cast<std::size_t>(kernel.across);
  const auto down = static_cast<std::size_t>(kernel.down);
  if (p.transposes)
    return {{groups(p.columns, kernel.tile) * across, groups(p.rows, kernel.tile) * down},
            {across, down}};
  const std::int64_t of_group = std::int64_t{kernel.across} * kernel.vector_width;
  const std::size_t groups_across =
      device.limits.is_cpu ? 1 : std::min<std::size_t>(groups(p.columns, of_group), 64);
  return {{groups_across * across, groups(p.rows, std::int64_t{kernel.lines} * kernel.down) * down},
          {across, down}};
}

HostRect rect_of_a(const CopyProblem& p) {
  return rect_of(p.a, p.stored_rows(), p.stored_columns(), p.lda, p.precision);
}

HostRect rect_of_b(const CopyProblem& p) {
  return rect_of(p.b, p.rows, p.columns, p.ldb, p.precision);
}

template <typename R>
std::complex<double> element(const void* matrix, std::int64_t at, bool complex) {
  const R* numbers = static_cast<const R*>(matrix) + at * (complex ? 2 : 1);
  return {static_cast<double>(numbers[0]), complex ? static_cast<double>(numbers[1]) : 0.0};
}

template <typename R>
bool differs(const CopyProblem& p, std::int64_t row, std::int64_t column) {
  const bool complex = is_complex(p.precision);
  const std::int64_t at = p.transposes ? column * p.lda + row : row * p.lda + column;
  std::complex<double> a = element<R>(p.a, at, complex);
  if (p.conjugates) a = std::conj(a);
  const std::complex<double> b = element<R>(p.b, row * p.ldb + column, complex);
  // Written out as in BLAS, since infinities stay infinities.
  const std::complex<double> alpha = complex ? p.alpha : p.alpha.real();
  const std::complex<double> should = {alpha.real() * a.real() - alpha.imag() * a.imag(),
                                       alpha.real() * a.imag() + alpha.imag() * a.real()};
  if (!std::isfinite(should.real()) || !std::isfinite(should.imag()) ||
      std::abs(should.real()) + std::abs(should.imag()) > std::numeric_limits<R>::max() / 4)
    return std::isfinite(b.real()) && std::isfinite(b.imag()) && !std::isfinite(std::abs(a));
  // At most three roundings of each part, including alpha's own; subnormal numbers may be flushed.
  const double bound =
      4 * static_cast<double>(std::numeric_limits<R>::epsilon()) * std::abs(alpha) * std::abs(a) +
      4 * static_cast<double>(std::numeric_limits<R>::min());
  // True for NaN, too.
  return !(std::abs(b.real() - should.real()) <= bound &&
           std::abs(b.imag() - should.imag()) <= bound);
}

struct CopyProgram {
  CopyProblem problem;
  CopyKernel kernel;
  bool aligned;

  bool conjugates() const { return problem.conjugates && is_complex(problem.precision); }
  bool scales() const { return problem.alpha != std::complex<double>(1.0); }

  // The fields are within their legal ranges.
  ProgramNumber number() const {
    return program_number({field_of(RoutineProgramKind::omatcopy),
                           {static_cast<int>(precision_index(problem.precision)), 4},
                           {problem.transposes, 2},
                           {conjugates(), 2},
                           {scales(), 2},
                           {aligned, 2},
                           {kernel.vector_width, 32},
                           {kernel.tile, 2048},
                           {kernel.across, 2048},
                           {kernel.down, 2048},
                           {kernel.lines, 2048}});
  }

  ProgramText text() const {
    ProgramOptions options(problem.precision, kernel.vector_width);
    options.define("TRANSPOSES", problem.transposes).define("CONJUGATES", conjugates());
    options.define("SCALES", scales()).define("TILE", kernel.tile).define("ACROSS", kernel.across);
    options.define("DOWN", kernel.down).define("LINES", kernel.lines).define("ALIGNED", aligned);
    const char* const op = problem.transposes ? (conjugates() ? "c" : "t")
                           : conjugates()     ? "conj"
                                              : "n";
    return {std::string(1, letter(problem.precision)) + "omatcopy " + op +
                (scales() ? ", scaled, " : ", ") + describe(kernel) + (aligned ? "" : ", any rows"),
            {"types.clh", "stream_vectors.clh", "omatcopy.cl"},
            options.text(),
            {"omatcopy"}};
  }

  std::string what_is_wrong(const TargetDevice& device, BuiltProgram& built,
                            std::uint64_t seed) const;
};

// A vector of one element is aligned wherever that is.
bool is_aligned(const CopyKernel& kernel, const CopyOperands& operands) {
  return operands.aligned || kernel.vector_width == 1;
}

std::int64_t rows_of_launch(const TargetDevice& device, const CopyProblem& p,
                            const CopyKernel& kernel) {
  const std::int64_t unit = p.transposes ? kernel.tile : std::int64_t{kernel.lines} * kernel.down;
  const double of_unit = traffic_bytes(p) / static_cast<double>(p.rows) * static_cast<double>(unit);
  return units_of_launch(device, of_unit, most_groups_down) * unit;
}

cl::Event enqueue_copy(const TargetDevice& device, cl::Queue& queue, const CopyProblem& problem,
                       const CopyKernel& kernel, BuiltProgram& built,
                       const CopyOperands& operands) {
  cl::Kernel& copy = built.kernel("omatcopy");
  const std::size_t element = element_size(problem.precision);
  const std::int64_t each = rows_of_launch(device, problem, kernel);
  return in_launches(problem.rows, each, [&](std::int64_t first, std::int64_t count) {
    CopyProblem part = problem;
    part.rows = count;
    KernelArguments(copy, problem.precision)
        .size(part.rows)
        .size(part.columns)
        .scalar(problem.alpha)
        .operand(problem.transposes ? shifted(operands.a, 0, first, element)
                                    : shifted(operands.a, first, 0, element))
        .operand(shifted(operands.b, first, 0, element));
    return queue.submit(copy, range_of(device, part, kernel));
  });
}

// Covers whole tiles and edges, one element, gaps and offsets, with NaN around all that is read or
// written.
std::string CopyProgram::what_is_wrong(const TargetDevice& device, BuiltProgram& built,
                                       std::uint64_t seed) const {
  cl::Queue queue(device.context);
  std::mt19937_64 engine(seed);
  const std::int64_t side =
      std::max<std::int64_t>(kernel.tile, std::int64_t{kernel.across} * kernel.vector_width +
                                              std::int64_t{kernel.lines} * kernel.down);
  const std::int64_t sizes[][2] = {
      {1, 1}, {side, side}, {2 * side + 3, side + 1}, {3, 2 * side + 5}};
  const std::int64_t unit = aligned ? kernel.vector_width : 1;
  std::int64_t gap = 0;
  for (const auto& [rows, columns] : sizes) {
    CopyProblem p = problem;
    p.rows = rows;
    p.columns = columns;
    p.lda = round_up(p.stored_columns() + gap, unit);
    p.ldb = round_up(columns + gap, unit);
    TrialMatrix a(p.stored_rows(), p.stored_columns(), p.lda, gap, p.precision);
    TrialMatrix b(rows, columns, p.ldb, gap, p.precision);
    a.draw(engine);
    const TrialMatrix before = b;
    const CopyOperands operands{a.on_device(device.context, queue),
                                b.on_device(device.context, queue)};
    run_unless_hung(
        [&] {
          const cl::Event done = enqueue_copy(device, queue, p, kernel, built, operands);
          queue.finish();
          queue.check_ended(done);
          b.read_back(operands.b, queue);
        },
        a.numbers(), b.numbers());
    p.a = a.at(0);
    p.b = b.at(0);
    if (std::string wrong = wrong_copy(p, 1); !wrong.empty()) return wrong;
    if (b.differs_beside(before)) return "it writes between the rows of B";
    gap += unit;
  }
  return {};
}

}  // namespace

std::string wrong_copy(const CopyProblem& p, std::int64_t step) {
  for (std::int64_t row = 0; row < p.rows; ++row)
    for (std::int64_t column = row % step; column < p.columns; column += step)
      if (is_double(p.precision) ? differs<double>(p, row, column) : differs<float>(p, row, column))
        return "element (" + std::to_string(row) + ", " + std::to_string(column) + ") of " +
               std::to_string(p.rows) + " x " + std::to_string(p.columns) + " is not A's";
  return {};
}

std::vector<TriedProgram> copy_programs(const CopyProblem& problem, const CopyKernel& kernel) {
  std::vector<TriedProgram> programs = {tried(CopyProgram{problem, kernel, true})};
  if (kernel.vector_width > 1) programs.push_back(tried(CopyProgram{problem, kernel, false}));
  return programs;
}

cl::Event submit_copy(OpenedDevice& device, const CopyProblem& problem, const CopyKernel& kernel,
                      const CopyOperands& operands) {
  BuiltProgram& built =
      device.kernels.get(CopyProgram{problem, kernel, is_aligned(kernel, operands)});
  return enqueue_copy(device, device.queue, problem, kernel, built, operands);
}

RoutineJob start_copy(const std::shared_ptr<OpenedDevice>& opened, const CopyProblem& part,
                      const CopyKernel& kernel, SharingMode sharing, const CopyProblem& of_host) {
  require_computable(*opened, part.precision, part.rows, part.columns);
  return started(opened, [&](RoutineJob::State& state) {
    OpenedDevice& device = *opened;
    OperandMemory& memory = device.memory;
    const HostRect a = rect_of_a(part), b = rect_of_b(part);
    const std::array written = {rect_of_b(of_host), b};
    if (!copies(sharing)) state.result = memory.result_in_place(b, {}, std::span(written).first(1));
    const std::size_t pitch = device_pitch(a.row_bytes);
    if (!state.result) {
      require_room(device, a.rows * pitch + b.rows * b.row_bytes);
      state.result = memory.staged_result(b);
    }
    BoundOperand of_a;
    if (!copies(sharing)) of_a = memory.inputs_in_place(a, {}, nullptr, written).a;
    if (!of_a.buffer) of_a = memory.staged_input(a, pitch);
    state.inputs.push_back(of_a);
    CopyOperands operands{of_a, state.result->operand()};
    const std::size_t vector =
        static_cast<std::size_t>(kernel.vector_width) * element_size(part.precision);
    operands.aligned = starts_at_multiples(operands.a, part.a, vector) &&
                       starts_at_multiples(operands.b, part.b, vector);
    // A trial that hangs does not write to the caller's memory.
    BuiltProgram& built =
        device.kernels.get(CopyProgram{part, kernel, is_aligned(kernel, operands)});
    state.result->begin(false);
    state.pending = true;
    state.done = enqueue_copy(device, device.queue, part, kernel, built, operands);
  });
}

}  // namespace duoblas
