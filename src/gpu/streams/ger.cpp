#include "gpu/streams/ger.hpp"

#include <algorithm>
#include <array>
#include <complex>
#include <cstdint>
#include <random>
#include <string>
#include <utility>

#include "gpu/kernels/kernel_arguments.hpp"
#include "gpu/streams/routine_start.hpp"
#include "gpu/streams/update_job.hpp"
#include "problem/rounding.hpp"

namespace duoblas {
namespace {

int conjugates(const GerProblem& p) {
  return p.conjugates_x ? 1 : p.conjugates_y ? 2 : 0;
}

std::int64_t rows_of_group(const UpdateKernel& kernel) {
  return std::int64_t{kernel.lines} * kernel.down;
}

struct GerProgram {
  GerProblem problem;
  UpdateKernel kernel;
  bool aligned;

  // The fields are within their legal ranges.
  ProgramNumber number() const {
    return program_number({field_of(RoutineProgramKind::ger),
                           {static_cast<int>(precision_index(problem.precision)), 4},
                           {conjugates(problem), 3},
                           {aligned, 2},
                           {kernel.vector_width, 32},
                           {kernel.across, 2048},
                           {kernel.down, 2048},
                           {kernel.lines, 2048}});
  }

  ProgramText text() const {
    ProgramOptions options(problem.precision, kernel.vector_width);
    options.define("CONJUGATES", conjugates(problem)).define("ACROSS", kernel.across);
    options.define("DOWN", kernel.down).define("LINES", kernel.lines).define("ALIGNED", aligned);
    constexpr const char* names[] = {"", " conj x", " conj y"};
    return {std::string(1, letter(problem.precision)) + "ger" + names[conjugates(problem)] + ", " +
                describe(kernel) + (aligned ? "" : ", any rows"),
            {"types.clh", "stream_vectors.clh", "ger.cl"},
            options.text(),
            {"ger"}};
  }

  std::string what_is_wrong(const TargetDevice& device, BuiltProgram& built,
                            std::uint64_t seed) const;
};

cl::Range range_of(const TargetDevice& device, const GerProblem& p, const UpdateKernel& kernel) {
  const auto across = static_cast<std::size_t>(kernel.across);
  const auto down = static_cast<std::size_t>(kernel.down);
  // On a CPU a group walks along its rows. On other devices it walks a short distance, so that
  // there are many groups.
  const std::int64_t whole = parts(p.columns, std::int64_t{kernel.across} * kernel.vector_width);
  const std::int64_t groups_across = device.limits.is_cpu ? 1 : std::min<std::int64_t>(whole, 64);
  return {{static_cast<std::size_t>(groups_across) * across,
           static_cast<std::size_t>(parts(p.rows, rows_of_group(kernel))) * down},
          {across, down}};
}

cl::Event enqueue_ger(const TargetDevice& device, cl::Queue& queue, const GerProblem& p,
                      const UpdateKernel& kernel, BuiltProgram& built,
                      const UpdateOperands& operands) {
  cl::Kernel& ger = built.kernel("ger");
  const std::size_t element = element_size(p.precision);
  const std::int64_t unit = rows_of_group(kernel);
  const double of_unit = traffic_bytes(p) / static_cast<double>(p.rows) * static_cast<double>(unit);
  const std::int64_t each = units_of_launch(device, of_unit, most_groups_down) * unit;
  return in_launches(p.rows, each, [&](std::int64_t first, std::int64_t count) {
    const GerProblem part = rows_of(p, {first, count});
    KernelArguments(ger, p.precision)
        .size(part.rows)
        .size(part.columns)
        .scalar(p.alpha)
        .vector(shifted(operands.x, first, element))
        .vector(operands.y)
        .operand(shifted(operands.a, first, 0, element));
    return queue.submit(ger, range_of(device, part, kernel));
  });
}

// Covers whole groups and edges of odd sizes, one element, gaps, offsets, increments of either
// sign.
std::string GerProgram::what_is_wrong(const TargetDevice& device, BuiltProgram& built,
                                      std::uint64_t seed) const {
  cl::Queue queue(device.context);
  std::mt19937_64 engine(seed);
  const std::int64_t high = rows_of_group(kernel);
  const std::int64_t wide = std::int64_t{kernel.across} * kernel.vector_width;
  struct Case {
    std::int64_t rows, columns, gap, before, incx, incy;
    double alpha;
  };
  for (const Case& c :
       {Case{1, 1, 3, 0, 1, 1, 2}, Case{2 * high, 2 * wide, 0, 0, 1, 1, 1},
        Case{high + 1, wide + 3, 5, 16, 2, -1, -0.5}, Case{3, wide - 1, 1, 32, -1, 1, 1.5},
        Case{high, 2 * wide + 1, 0, 0, 1, 3, 1}}) {
    GerProblem p = problem;
    p.rows = c.rows;
    p.columns = std::max<std::int64_t>(c.columns, 1);
    p.lda = aligned ? round_up(p.columns + c.gap, 16) : p.columns + c.gap;
    p.alpha = is_complex(p.precision) ? std::complex<double>(c.alpha, 0.75) : c.alpha;
    const std::int64_t before = aligned ? c.before : c.before / 16;
    const std::string wrong =
        tried_update(device, queue, p, {c.incx, c.incy, before}, engine,
                     [&](const GerProblem& drawn, const UpdateOperands& operands) {
                       return enqueue_ger(device, queue, drawn, kernel, built, operands);
                     });
    if (!wrong.empty()) return wrong;
  }
  return {};
}

HostRect rect_of(const GerProblem& p) {
  return rect_of(p.a, p.rows, p.columns, p.lda, p.precision);
}

}  // namespace

std::vector<TriedProgram> ger_programs(const GerProblem& problem, const UpdateKernel& kernel) {
  return {tried(GerProgram{problem, kernel, true}), tried(GerProgram{problem, kernel, false})};
}

cl::Event submit_ger(OpenedDevice& device, const GerProblem& problem, const UpdateKernel& kernel,
                     const UpdateOperands& operands, bool aligned) {
  return enqueue_ger(device, device.queue, problem, kernel,
                     device.kernels.get(GerProgram{problem, kernel, aligned}), operands);
}

RoutineJob start_ger(const std::shared_ptr<OpenedDevice>& opened, const GerProblem& part,
                     const UpdateKernel& kernel, SharingMode sharing, const GerProblem& of_host,
                     bool looked_at) {
  require_computable(*opened, part.precision, part.rows, part.columns);
  return started(opened, [&](RoutineJob::State& state) {
    OpenedDevice& device = *opened;
    const std::size_t element = element_size(part.precision);
    UpdateOperands operands;
    operands.x = staged_vector(state, part.x, part.rows, part.precision);
    operands.y = staged_vector(state, part.y, part.columns, part.precision);
    const std::array written = {rect_of(of_host)};
    const std::size_t row = static_cast<std::size_t>(part.columns) * element;
    const bool begun =
        begin_update(state, rect_of(part), sharing, written,
                     looked_at ? 0 : static_cast<std::size_t>(rows_of_group(kernel)) * row);
    const BoundOperand a = state.result->operand();
    const bool aligned =
        starts_at_multiples(a, part.a, static_cast<std::size_t>(kernel.vector_width) * element);
    // A trial that hangs does not write to the caller's memory.
    BuiltProgram& built = device.kernels.get(GerProgram{part, kernel, aligned});
    const auto launch = [&device, &built, part, kernel, operands, a, element](Interval of) {
      const UpdateOperands some{shifted(a, of.first, 0, element),
                                shifted(operands.x, of.first, element), operands.y};
      return enqueue_ger(device, device.queue, rows_of(part, of), kernel, built, some);
    };
    enqueue_update(
        state, begun, {part.rows, rows_of_group(kernel), row},
        rows_of_update(state, part.rows, rows_of_group(kernel)),
        [part](Interval of) { return rect_of(rows_of(part, of)); },
        [a, element](Interval of) { return shifted(a, of.first, 0, element); }, launch);
  });
}

}  // namespace duoblas
