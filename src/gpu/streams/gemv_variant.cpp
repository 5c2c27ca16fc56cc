#include "gpu/streams/gemv_variant.hpp"

#include <algorithm>
#include <string>

#include "gpu/device/computable.hpp"
#include "problem/rounding.hpp"

namespace duoblas {
namespace {

// A program that calls with ever new sizes must not compile for ever.
constexpr unsigned most_programs = 64;
// Bytes of A up to which a program with compiled-in sizes is tried.
constexpr double most_bytes_tried = 128 << 20;

// How many units of work one launch does, of `most`. If the device has a limit for launches, it
// ends within that, assuming memory of 20 GB/s, which is slow for any GPU.
std::int64_t units_of_launch(const TargetDevice& device, double bytes_of_unit, std::int64_t most) {
  constexpr double slow_bytes_per_second = 20e9;
  const double bound = device.launch_bound;
  most = std::max<std::int64_t>(most, 1);
  if (bound <= 0 || bytes_of_unit <= 0) return most;
  return std::clamp<std::int64_t>(
      static_cast<std::int64_t>(bound * slow_bytes_per_second / bytes_of_unit), 1, most);
}

}  // namespace

std::int64_t outputs_of_group(const GemvProblem& p, const GemvKernel& kernel) {
  return kernel.lines * (p.transposes ? kernel.across * kernel.vector_width : 1);
}

GemvDivision division_of(const TargetDevice& device, const GemvProblem& p,
                         const GemvKernel& kernel) {
  const std::int64_t each = outputs_of_group(p, kernel);
  const std::int64_t unit =
      p.transposes ? kernel.teams : std::int64_t{kernel.across} * kernel.vector_width;
  GemvDivision division;
  division.groups = parts(p.outputs(), each);
  // Enough work-items to hide the latency of memory: 512 per compute unit of a large GPU
  // (bench_gemv), or 4 groups per core if a group is one work-item. A second kernel that adds the
  // slices takes 5 us there.
  const std::int64_t items = std::int64_t{kernel.across} * (p.transposes ? kernel.teams : 1);
  const std::int64_t wanted_items = 512 * std::max(1, kernel.fused);
  const std::int64_t each_unit =
      device.limits.is_cpu ? 4 : std::max<std::int64_t>(1, wanted_items / items);
  const std::int64_t wanted = std::int64_t{device.limits.compute_units} * each_unit;
  const std::int64_t shortest = unit * 16;
  const std::int64_t most = std::max<std::int64_t>(1, p.terms() / shortest);
  division.slices = std::clamp<std::int64_t>(wanted / division.groups, 1, most);
  division.slice = parts(parts(p.terms(), division.slices), unit) * unit;
  division.slices = parts(p.terms(), division.slice);
  return division;
}

std::int64_t outputs_of_launch(const TargetDevice& device, const GemvProblem& p,
                               const GemvKernel& kernel) {
  const std::int64_t unit = outputs_of_group(p, kernel);
  const double of_unit = static_cast<double>(p.terms()) * static_cast<double>(unit) *
                         static_cast<double>(element_size(p.precision));
  return units_of_launch(device, of_unit, parts(p.outputs(), unit)) * unit;
}

GemvVariant of_any_size(GemvKernel kernel, bool aligned) {
  kernel.inline_sizes = 0;
  if (!aligned) kernel.image = 0;
  return {kernel, aligned};
}

std::optional<GemvVariant> of_these_sizes(const TargetDevice& device, const GemvProblem& problem,
                                          GemvKernel kernel, bool aligned) {
  const double bytes = static_cast<double>(problem.rows) * static_cast<double>(problem.columns) *
                       static_cast<double>(element_size(problem.precision));
  if (kernel.inline_sizes == 0 || problem.empty() || problem.terms() == 0 ||
      bytes > most_bytes_tried || outputs_of_launch(device, problem, kernel) < problem.outputs())
    return std::nullopt;
  GemvVariant variant = of_any_size(kernel, aligned);
  variant.kernel.inline_sizes = 1;
  variant.rows = problem.rows;
  variant.columns = problem.columns;
  variant.slice = division_of(device, problem, kernel).slice;
  return variant;
}

// The fields are within their legal ranges. A slice follows from the sizes on a device.
ProgramNumber program_number_of(const GemvProblem& p, const GemvVariant& variant) {
  const GemvKernel& kernel = variant.kernel;
  ProgramNumber number = program_number({field_of(RoutineProgramKind::gemv),
                                         {static_cast<int>(precision_index(p.precision)), 4},
                                         {p.transposes, 2},
                                         {p.conjugates && is_complex(p.precision), 2},
                                         {variant.aligned, 2},
                                         {kernel.vector_width, 32},
                                         {kernel.lines, 32},
                                         {kernel.unroll, 32},
                                         {kernel.across, 2048},
                                         {kernel.teams, 2048},
                                         {kernel.image, 2},
                                         {kernel.fused, 32}});
  static_assert(most_routine_extent <= std::int64_t{1} << 31);
  number.sizes =
      static_cast<std::uint64_t>(variant.rows) << 32 | static_cast<std::uint64_t>(variant.columns);
  return number;
}

bool may_have_sizes(const OpenedDevice& device, const GemvProblem& problem,
                    const GemvVariant& variant, bool builds) {
  const ProgramNumber number = program_number_of(problem, variant);
  if (device.kernels.refuses(number)) return false;
  return device.kernels.has(number) || (builds && device.kernels.builds() < most_programs);
}

ProgramText gemv_program(const GemvProblem& problem, const GemvVariant& variant) {
  const GemvKernel& kernel = variant.kernel;
  const Precision precision = problem.precision;
  const bool conjugates = problem.conjugates && is_complex(precision);
  ProgramOptions options(precision, kernel.vector_width);
  options.define("TRANSPOSES", problem.transposes).define("CONJUGATES", conjugates);
  options.define("ACROSS", kernel.across).define("TEAMS", kernel.teams);
  options.define("LINES", kernel.lines).define("UNROLL", kernel.unroll);
  options.define("ALIGNED", variant.aligned).define("INLINE_SIZES", kernel.inline_sizes);
  options.define("IMAGE", kernel.image).define("FUSED", kernel.fused > 0);
  std::string sizes;
  if (kernel.inline_sizes != 0) {
    options.define("SIZE_ROWS", variant.rows).define("SIZE_COLUMNS", variant.columns);
    options.define("SIZE_SLICE", variant.slice);
    sizes = ", " + std::to_string(variant.rows) + " x " + std::to_string(variant.columns);
  }
  const char* const op = problem.transposes ? (conjugates ? "c" : "t") : conjugates ? "conj" : "n";
  return {std::string(1, letter(precision)) + "gemv " + op + ", " + describe(kernel) +
              (variant.aligned ? "" : ", any rows") + sizes,
          {"types.clh", "gemv.cl"},
          options.text(),
          {"gemv", "sum", "gather"}};
}

}  // namespace duoblas
