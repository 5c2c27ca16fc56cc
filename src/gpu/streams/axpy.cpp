#include "gpu/streams/axpy.hpp"

#include <algorithm>
#include <array>
#include <complex>
#include <cstdint>
#include <random>
#include <span>
#include <string>
#include <utility>

#include "gpu/kernels/kernel_arguments.hpp"
#include "gpu/streams/routine_start.hpp"
#include "gpu/streams/update_job.hpp"
#include "gpu/streams/update_trial.hpp"
#include "problem/rounding.hpp"

namespace duoblas {
namespace {

std::int64_t elements_of_group(const UpdateKernel& kernel) {
  return std::int64_t{kernel.across} * kernel.lines * kernel.vector_width;
}

struct AxpyProgram {
  Precision precision;
  UpdateKernel kernel;
  bool aligned;

  // The fields are within their legal ranges.
  ProgramNumber number() const {
    return program_number({field_of(RoutineProgramKind::axpy),
                           {static_cast<int>(precision_index(precision)), 4},
                           {aligned, 2},
                           {kernel.vector_width, 32},
                           {kernel.across, 2048},
                           {kernel.lines, 1 << 20}});
  }

  ProgramText text() const {
    ProgramOptions options(precision, kernel.vector_width);
    options.define("ACROSS", kernel.across).define("LINES", kernel.lines);
    options.define("UNROLL", std::min(kernel.lines, 8)).define("ALIGNED", aligned);
    return {std::string(1, letter(precision)) + "axpy, " + describe(kernel) +
                (aligned ? "" : ", any vectors"),
            {"types.clh", "stream_vectors.clh", "axpy.cl"},
            options.text(),
            {"axpy", "axpy_apart"}};
  }

  std::string what_is_wrong(const TargetDevice& device, BuiltProgram& built,
                            std::uint64_t seed) const;
};

cl::Event enqueue_part(const TargetDevice& device, cl::Queue& queue, const AxpyProblem& p,
                       const UpdateKernel& kernel, BuiltProgram& built,
                       const AxpyOperands& operands) {
  if (operands.x.increment == 1 && operands.y.increment == 1) {
    cl::Kernel& axpy = built.kernel("axpy");
    const std::size_t element = element_size(p.precision);
    KernelArguments(axpy, p.precision)
        .size(p.size)
        .scalar(p.alpha)
        .buffer(*operands.x.buffer)
        .offset(operands.x.offset_bytes / element)
        .buffer(*operands.y.buffer)
        .offset(operands.y.offset_bytes / element);
    const auto across = static_cast<std::size_t>(kernel.across);
    const auto groups = static_cast<std::size_t>(parts(p.size, elements_of_group(kernel)));
    return queue.submit(axpy, {{groups * across, 1}, {across, 1}});
  }
  cl::Kernel& apart = built.kernel("axpy_apart");
  KernelArguments(apart, p.precision)
      .size(p.size)
      .scalar(p.alpha)
      .vector(operands.x)
      .vector(operands.y);
  // Work-items take elements in turns: a few of them on a CPU, whose groups have one work-item.
  const std::int64_t group =
      device.limits.is_cpu ? 1
                           : std::min<std::int64_t>(
                                 64, static_cast<std::int64_t>(device.limits.max_work_group_size));
  const std::int64_t most = std::int64_t{device.limits.compute_units} * 32;
  const auto groups = static_cast<std::size_t>(std::min(parts(p.size, group), most));
  const auto items = static_cast<std::size_t>(group);
  return queue.submit(apart, {{groups * items, 1}, {items, 1}});
}

cl::Event enqueue_axpy(const TargetDevice& device, cl::Queue& queue, const AxpyProblem& p,
                       const UpdateKernel& kernel, BuiltProgram& built,
                       const AxpyOperands& operands) {
  const std::size_t element = element_size(p.precision);
  const std::int64_t unit = elements_of_group(kernel);
  const double of_unit = 3 * static_cast<double>(unit) * static_cast<double>(element);
  const std::int64_t each =
      units_of_launch(device, of_unit, std::max<std::int64_t>(most_routine_extent / unit, 1)) *
      unit;
  return in_launches(p.size, each, [&](std::int64_t first, std::int64_t count) {
    AxpyProblem part = p;
    part.size = count;
    return enqueue_part(device, queue, part, kernel, built,
                        {shifted(operands.x, first, element), shifted(operands.y, first, element),
                         operands.aligned});
  });
}

std::complex<double> scalar_at(const void* data, Precision precision) {
  const auto* single = static_cast<const float*>(data);
  const auto* pair = static_cast<const double*>(data);
  switch (precision) {
    case Precision::s: return single[0];
    case Precision::d: return pair[0];
    case Precision::c: return {single[0], single[1]};
    case Precision::z: return {pair[0], pair[1]};
  }
  return 0.0;
}

// Covers whole groups and edges, one element, offsets, increments of either sign and 0.
std::string AxpyProgram::what_is_wrong(const TargetDevice& device, BuiltProgram& built,
                                       std::uint64_t seed) const {
  cl::Queue queue(device.context);
  std::mt19937_64 engine(seed);
  const std::int64_t group = elements_of_group(kernel);
  struct Case {
    std::int64_t size, before, incx, incy;
    double alpha;
  };
  for (const Case& c :
       {Case{1, 0, 1, 1, 2}, Case{2 * group, 0, 1, 1, 1}, Case{group + 3, 16, 1, 1, -0.5},
        Case{group + kernel.vector_width + 1, 32, 1, 1, 1.5}, Case{133, 3, -2, 3, -1.25},
        Case{70, 0, 0, 1, 0.75}}) {
    GerProblem p;
    p.precision = precision;
    p.rows = c.size;
    p.columns = 1;
    p.lda = c.incy;
    p.alpha = is_complex(precision) ? std::complex<double>(c.alpha, 0.75) : c.alpha;
    const std::int64_t before = aligned ? c.before : c.before / 16 + (c.size > 1);
    const std::string wrong = tried_update(
        device, queue, p, {c.incx, 1, before}, engine,
        [&](const GerProblem& drawn, const UpdateOperands& operands) {
          AxpyProblem update;
          update.precision = precision;
          update.size = drawn.rows;
          // The trial's y is one element, a factor of all products.
          update.alpha = drawn.alpha * scalar_at(drawn.y.data, precision);
          const BoundVector y{operands.a.buffer, operands.a.offset_bytes, drawn.lda};
          return enqueue_axpy(device, queue, update, kernel, built, {operands.x, y, aligned});
        });
    if (!wrong.empty()) return wrong;
  }
  return {};
}

// x in place, if the driver shares it and the host writes nothing near; else a copy.
BoundVector bound_x(RoutineJob::State& state, const AxpyProblem& part, SharingMode sharing,
                    std::span<const HostRect> written) {
  if (!copies(sharing) && part.x.increment == 1) {
    BoundOperand in_place = state.device->memory
                                .inputs_in_place(dense_rect(part.x.data, part.size, part.precision),
                                                 {}, nullptr, written)
                                .a;
    if (in_place.buffer) {
      state.inputs.push_back(in_place);
      return {in_place.buffer, in_place.offset_bytes, 1};
    }
  }
  return staged_vector(state, part.x, part.size, part.precision);
}

// Divides a vector without gaps into rows whose old values the host copies one by one while the
// device works. Rows consist of whole vectors, so that each begins at the same alignment as the
// first one.
std::int64_t rows_of_vector(const AxpyProblem& p, const UpdateKernel& kernel) {
  constexpr std::int64_t most = 4;
  return p.size % (most * kernel.vector_width) == 0 ? most : 1;
}

}  // namespace

std::vector<TriedProgram> axpy_programs(Precision precision, const UpdateKernel& kernel) {
  return {tried(AxpyProgram{precision, kernel, true}),
          tried(AxpyProgram{precision, kernel, false})};
}

cl::Event submit_axpy(OpenedDevice& device, const AxpyProblem& problem, const UpdateKernel& kernel,
                      const AxpyOperands& operands) {
  return enqueue_axpy(device, device.queue, problem, kernel,
                      device.kernels.get(AxpyProgram{problem.precision, kernel, operands.aligned}),
                      operands);
}

HostRect rect_of_y(const AxpyProblem& p) {
  return p.y.increment == 1 ? dense_rect(p.y.data, p.size, p.precision)
                            : rect_of(p.y.data, p.size, 1, p.y.increment, p.precision);
}

RoutineJob start_axpy(const std::shared_ptr<OpenedDevice>& opened, const AxpyProblem& part,
                      const UpdateKernel& kernel, SharingMode sharing, const AxpyProblem& of_host,
                      bool looked_at) {
  require_computable(*opened, part.precision, 1, 1);
  return started(opened, [&](RoutineJob::State& state) {
    OpenedDevice& device = *opened;
    const std::array written = {memory_of(of_host.y, of_host.size, of_host.precision),
                                memory_of(part.y, part.size, part.precision)};
    const std::size_t element = element_size(part.precision);
    AxpyOperands operands;
    operands.x = bound_x(state, part, sharing, written);
    // Elements with gaps are copied both ways, since each would be a row of its own.
    const bool is_dense = part.y.increment == 1;
    const std::int64_t rows = is_dense ? rows_of_vector(part, kernel) : 1,
                       length = part.size / rows;
    const HostRect y_rect =
        is_dense ? rect_of(part.y.data, rows, length, length, part.precision) : rect_of_y(part);
    const bool begun = begin_update(
        state, y_rect, is_dense ? sharing : SharingMode::staged, std::span(written).first(1),
        looked_at ? 0 : static_cast<std::size_t>(elements_of_group(kernel)) * element);
    const BoundOperand& y = state.result->operand();
    operands.y = {y.buffer, y.offset_bytes, 1};
    const std::size_t unit = static_cast<std::size_t>(kernel.vector_width) * element;
    const auto is_aligned = [&](BoundOperand bound, const void* host) {
      bound.pitch_bytes = unit;  // there is one row
      return starts_at_multiples(bound, host, unit);
    };
    operands.aligned = is_aligned(y, part.y.data) && is_aligned(state.inputs.back(), part.x.data);
    BuiltProgram& built = device.kernels.get(AxpyProgram{part.precision, kernel, operands.aligned});
    const auto launch = [&device, &built, part, kernel, operands, element](Interval of) {
      const AxpyOperands some{shifted(operands.x, of.first, element),
                              shifted(operands.y, of.first, element), operands.aligned};
      return enqueue_axpy(device, device.queue, elements_of(part, of), kernel, built, some);
    };
    enqueue_update(
        state, begun, {part.size, elements_of_group(kernel), element},
        state.host_result.empty() ? length : part.size,
        [part](Interval of) {
          const AxpyProblem some = elements_of(part, of);
          return dense_rect(some.y.data, some.size, some.precision);
        },
        [whole = y, element](Interval of) { return shifted(whole, 0, of.first, element); }, launch);
  });
}

}  // namespace duoblas
