#include "gpu/gemv.hpp"

#include <algorithm>
#include <sstream>

#include "gpu/kernel_arguments.hpp"
#include "gpu/routine_start.hpp"
#include "problem/rounding.hpp"

namespace duoblas {
namespace {

// How a gemv is divided among work-groups.
struct Division {
  std::int64_t groups = 1;  ///< along y
  std::int64_t slices = 1;  ///< of each sum
  std::int64_t slice = 1;   ///< terms
};

std::int64_t group_outputs(const GemvProblem& p, const GemvKernel& kernel) {
  return kernel.lines * (p.transposes ? kernel.across * kernel.vector_width : 1);
}

Division division_of(const OpenedDevice& device, const GemvProblem& p, const GemvKernel& kernel) {
  const std::int64_t each = group_outputs(p, kernel);
  const std::int64_t unit =
      p.transposes ? kernel.teams : std::int64_t{kernel.across} * kernel.vector_width;
  Division division;
  division.groups = parts(p.outputs(), each);
  // Enough work-items to hide the latency of memory: 512 per compute unit of an H200 (bench_gemv),
  // 4 groups per core where a group is one of them. A second kernel that adds slices takes 5 us
  // there.
  const std::int64_t items = std::int64_t{kernel.across} * (p.transposes ? kernel.teams : 1);
  const std::int64_t each_unit = device.limits.is_cpu ? 4 : std::max<std::int64_t>(1, 512 / items);
  const std::int64_t wanted = std::int64_t{device.limits.compute_units} * each_unit;
  const std::int64_t shortest = unit * 16;
  const std::int64_t most = std::max<std::int64_t>(1, p.terms() / shortest);
  division.slices = std::clamp<std::int64_t>(wanted / division.groups, 1, most);
  division.slice = parts(parts(p.terms(), division.slices), unit) * unit;
  division.slices = parts(p.terms(), division.slice);
  return division;
}

std::size_t element_of(const GemvProblem& p) {
  return element_size(p.precision);
}

std::uint64_t elements_in(std::size_t bytes, const GemvProblem& p) {
  return bytes / element_of(p);
}

// Whole groups: parts of columns begin where vectors do.
std::int64_t outputs_of_launch(const OpenedDevice& device, const GemvProblem& p,
                               const GemvKernel& kernel) {
  const std::int64_t unit = group_outputs(p, kernel);
  const double of_unit = static_cast<double>(p.terms()) * static_cast<double>(unit) *
                         static_cast<double>(element_of(p));
  return units_of_launch(device, of_unit, parts(p.outputs(), unit)) * unit;
}

// The fields are within their legal ranges.
std::uint64_t program_number_of(const GemvProblem& p, const GemvKernel& kernel, bool aligned) {
  return program_number({field_of(RoutineProgramKind::gemv),
                         {static_cast<int>(precision_index(p.precision)), 4},
                         {p.transposes, 2},
                         {p.conjugates, 2},
                         {aligned, 2},
                         {kernel.vector_width, 32},
                         {kernel.lines, 32},
                         {kernel.unroll, 32},
                         {kernel.across, 2048},
                         {kernel.teams, 2048}});
}

cl::Event enqueue_part(const OpenedDevice& device, cl::Queue& queue, const GemvProblem& p,
                       const GemvKernel& kernel, BuiltRoutine& built, const GemvOperands& operands,
                       GemvScratch& scratch) {
  const Division division = division_of(device, p, kernel);
  const bool splits = division.slices > 1;
  const auto& y = operands.y;
  cl::Kernel& gemv = built.kernels.at("gemv");
  KernelArguments arguments(gemv, p.precision);
  arguments.size(p.rows).size(p.columns).scalar(p.alpha).operand(operands.a);
  arguments.buffer(*operands.x.buffer).offset(elements_in(operands.x.offset_bytes, p));
  arguments.scalar(p.beta);
  arguments.buffer(splits ? *scratch.sums : *y.buffer)
      .offset(splits ? 0 : elements_in(y.offset_bytes, p))
      .size(splits ? 1 : y.increment)
      .size(division.slice);
  const auto across = static_cast<std::size_t>(kernel.across);
  const auto teams = static_cast<std::size_t>(p.transposes ? kernel.teams : 1);
  const cl::Range range{{static_cast<std::size_t>(division.groups) * across,
                         static_cast<std::size_t>(division.slices) * teams},
                        {across, teams}};
  if (!splits) return queue.submit(gemv, range);
  scratch.earlier.push_back(std::make_shared<const cl::Event>(queue.enqueue(gemv, range)));
  cl::Kernel& sum = built.kernels.at("sum");
  KernelArguments(sum, p.precision)
      .size(p.outputs())
      .size(division.slices)
      .scalar(p.alpha)
      .buffer(*scratch.sums)
      .scalar(p.beta)
      .buffer(*y.buffer)
      .offset(elements_in(y.offset_bytes, p))
      .size(y.increment);
  return queue.submit(sum, {{static_cast<std::size_t>(p.outputs()), 1}, {1, 1}});
}

}  // namespace

GemvNeeds gemv_needs(const OpenedDevice& device, const GemvProblem& problem,
                     const GemvKernel& kernel) {
  GemvNeeds needs;
  // The parts of a bounded launch use one buffer, one after another: all alike but the last.
  const std::int64_t each = outputs_of_launch(device, problem, kernel);
  for (const std::int64_t count : {std::min(each, problem.outputs()), problem.outputs() % each}) {
    if (count == 0) continue;
    const Division division = division_of(device, outputs_of(problem, {0, count}), kernel);
    if (division.slices > 1)
      needs.sums = std::max(
          needs.sums, static_cast<std::size_t>(division.slices * count) * element_of(problem));
  }
  if (problem.x.increment != 1)
    needs.dense_x = static_cast<std::size_t>(problem.terms()) * element_of(problem);
  return needs;
}

bool starts_vectors_aligned(const BoundOperand& a, const GemvProblem& problem,
                            const GemvKernel& kernel) {
  return starts_at_multiples(
      a, problem.a,
      static_cast<std::size_t>(kernel.vector_width) * element_size(problem.precision));
}

RoutineProgram gemv_program(const GemvProblem& problem, const GemvKernel& kernel, bool aligned) {
  const Precision precision = problem.precision;
  const int parts = is_complex(precision) ? 2 : 1;
  const bool conjugates = problem.conjugates && parts == 2;
  std::ostringstream options;
  options << "-cl-std=CL1.2 -DPART=" << (is_double(precision) ? "double" : "float")
          << " -DPARTS=" << parts << " -DLANES=" << kernel.vector_width * parts
          << " -DMULTIPLY_ADD=1 -DTRANSPOSES=" << problem.transposes
          << " -DCONJUGATES=" << conjugates << " -DACROSS=" << kernel.across
          << " -DTEAMS=" << kernel.teams << " -DLINES=" << kernel.lines
          << " -DUNROLL=" << kernel.unroll << " -DALIGNED=" << aligned;
  const char* const op = problem.transposes ? (conjugates ? "c" : "t") : conjugates ? "conj" : "n";
  return {std::string(1, letter(precision)) + "gemv " + op + ", " + describe(kernel) +
              (aligned ? "" : ", any rows"),
          {"types.clh", "stream_vectors.clh", "gemv.cl"},
          options.str(),
          {"gemv", "sum", "gather"}};
}

cl::Event enqueue_gemv(const OpenedDevice& device, cl::Queue& queue, const GemvProblem& problem,
                       const GemvKernel& kernel, BuiltRoutine& built, const GemvOperands& operands,
                       GemvScratch& scratch) {
  GemvOperands of_part = operands;
  if (operands.x.increment != 1) {
    cl::Kernel& gather = built.kernels.at("gather");
    KernelArguments(gather, problem.precision)
        .size(problem.terms())
        .buffer(*operands.x.buffer)
        .offset(elements_in(operands.x.offset_bytes, problem))
        .size(operands.x.increment)
        .buffer(*scratch.dense_x);
    scratch.earlier.push_back(std::make_shared<const cl::Event>(
        queue.enqueue(gather, {{static_cast<std::size_t>(problem.terms()), 1}, {1, 1}})));
    of_part.x = {scratch.dense_x, 0, 1};
  }
  const std::int64_t each = outputs_of_launch(device, problem, kernel);
  const std::size_t element = element_of(problem);
  cl::Event last;
  for (std::int64_t first = 0; first < problem.outputs(); first += each) {
    const std::int64_t count = std::min(each, problem.outputs() - first);
    const GemvProblem part = outputs_of(problem, {first, count});
    of_part.a = problem.transposes ? shifted(operands.a, 0, first, element)
                                   : shifted(operands.a, first, 0, element);
    of_part.y = shifted(operands.y, first, element);
    cl::Event event = enqueue_part(device, queue, part, kernel, built, of_part, scratch);
    if (last) event.follow(std::move(last));
    last = std::move(event);
  }
  return last;
}

cl::Event submit_gemv(OpenedDevice& device, const GemvProblem& problem, const GemvKernel& kernel,
                      const GemvOperands& operands, GemvScratch& scratch) {
  BuiltRoutine& built = device.routines.get(
      program_number_of(problem, kernel, operands.aligned),
      [&] { return gemv_program(problem, kernel, operands.aligned); },
      [&](BuiltRoutine& of_trial, std::uint64_t seed) {
        return what_is_wrong(device, problem, kernel, operands.aligned, of_trial, seed);
      });
  const GemvNeeds needs = gemv_needs(device, problem, kernel);
  if (needs.sums > 0 && !scratch.sums)
    scratch.sums = device.scratch.partial.at_least(device.context, needs.sums);
  if (needs.dense_x > 0 && !scratch.dense_x)
    scratch.dense_x = device.scratch.packed_b.at_least(device.context, needs.dense_x);
  return enqueue_gemv(device, device.queue, problem, kernel, built, operands, scratch);
}

std::vector<TriedProgram> gemv_programs(const GemvProblem& problem, const GemvKernel& kernel) {
  std::vector<TriedProgram> programs;
  for (const bool aligned : {true, false})
    programs.push_back({gemv_program(problem, kernel, aligned),
                        [problem, kernel, aligned](const OpenedDevice& device, BuiltRoutine& built,
                                                   std::uint64_t seed) {
                          return what_is_wrong(device, problem, kernel, aligned, built, seed);
                        }});
  return programs;
}

}  // namespace duoblas
