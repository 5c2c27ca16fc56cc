#include "gpu/lapack/panels_on_device.hpp"

#include <algorithm>
#include <string>

#include "gpu/kernels/kernel_arguments.hpp"
#include "gpu/kernels/kernel_cache.hpp"
#include "opencl/wait_deadline.hpp"
#include "problem/rounding.hpp"

namespace duoblas {
namespace {

// As the kernels have them.
constexpr std::int64_t inner = PanelBoards::inner, columns_of_group = 8;
constexpr std::int64_t least_width = 2 * inner, most_width = 128;

struct PanelProgram {
  Precision precision;
  std::int64_t width;
  int rows_of_group;
  bool shuffles;

  ProgramNumber number() const {
    return program_number({field_of(RoutineProgramKind::lu_panel),
                           {static_cast<int>(precision_index(precision)), 4},
                           {static_cast<int>(width), 1024},
                           {rows_of_group, 8192}});
  }

  ProgramText text() const {
    const bool wide = is_double(precision);
    ProgramOptions options;
    options.define("REAL", wide ? "double" : "float").define("WORD", wide ? "ulong" : "uint");
    options.define("IS_DOUBLE", wide).define("WIDTH", width).define("ROWS", rows_of_group);
    options.define("GROUPS", most_panel_groups).define("REDUX", shuffles);
    return {std::string(1, letter(precision)) + "getrf's panels",
            {"lu_panel.cl", "panel_rows.cl"},
            options.text(),
            {"lu_panel", "panel_rows"}};
  }

  std::string what_is_wrong(const TargetDevice& device, BuiltProgram& built,
                            std::uint64_t seed) const {
    return wrong_in_panels(device, precision, width, built, seed);
  }
};

PanelProgram program_of(const TargetDevice& device, Precision precision, std::int64_t width) {
  return {precision, width, device.panels.rows_of_group, device.limits.shuffle_width == 32};
}

BuiltProgram& built_panels(OpenedDevice& device, Precision precision, std::int64_t width) {
  return device.kernels.get(program_of(device, precision, width));
}

}  // namespace

TriedProgram panel_program(const TargetDevice& device, Precision precision, std::int64_t width) {
  return tried(program_of(device, precision, width));
}

bool suits_panels(const TargetDevice& device, const LapackProblem& p, std::int64_t width) {
  const int most = device.panels.groups;
  return p.routine == LapackRoutine::getrf && most > 0 && !is_complex(p.precision) &&
         width % inner == 0 && width >= least_width && width <= most_width && p.n >= width &&
         p.m >= p.n &&
         parts(p.m, device.panels.rows_of_group) <= std::min<std::int64_t>(most_panel_groups, most);
}

std::unique_ptr<PanelsOnDevice> PanelsOnDevice::make(OpenedDevice& device, const LapackProblem& p,
                                                     std::int64_t width) {
  if (!suits_panels(device, p, width)) return nullptr;
  try {
    built_panels(device, p.precision, width);
  } catch (const cl::DeviceHung&) {
    throw;
  } catch (const GroupsApart&) {
    device.panels.groups = 0;
    return nullptr;
  } catch (const DeviceError&) {
    return nullptr;
  }
  return std::unique_ptr<PanelsOnDevice>(new PanelsOnDevice(device, p, width));
}

PanelsOnDevice::PanelsOnDevice(OpenedDevice& device, const LapackProblem& p, std::int64_t width)
    : device_(device),
      p_(p),
      width_(width),
      results_from_(static_cast<std::size_t>(
          2 * round_up(PanelBoards(device.panels.rows_of_group, p.m, width).words, 64) *
          static_cast<std::int64_t>(element_size(p.precision)))) {
  boards_ = device.scratch.boards.at_least(device.context, all_bytes());
}

std::size_t PanelsOnDevice::all_bytes() const {
  return results_from_ + static_cast<std::size_t>(parts(p_.n, width_)) * result_bytes();
}

cl::Event PanelsOnDevice::clear() {
  return device_.queue.fill_with_zeros(*boards_, all_bytes());
}

std::size_t PanelsOnDevice::result_bytes(std::int64_t width) {
  return static_cast<std::size_t>(2 * width) * sizeof(std::int32_t);
}

BoundOperand PanelsOnDevice::results(std::int64_t number) const {
  return {boards_, results_from_ + static_cast<std::size_t>(number) * result_bytes(),
          result_bytes(), SharingMode::staged};
}

void PanelsOnDevice::require_complete(const std::int32_t* results) {
  if (results[width_] == 0) return;
  device_.panels.groups = 0;
  throw GroupsApart();
}

cl::Event PanelsOnDevice::factorise(std::int64_t number, Interval panel, const BoundOperand& column,
                                    const BoundOperand& moves) {
  return enqueue_panel(
      device_, device_.queue, p_.precision, width_, built_panels(device_, p_.precision, width_),
      {p_.m - panel.first, panel.first, column, moves, boards_.get(),
       results_from_ / 2 / element_size(p_.precision), number % 2 != 0, results(number)});
}

cl::Event PanelsOnDevice::complete_rows(Interval panel, std::int64_t count,
                                        const BoundOperand& columns, const BoundOperand& triangle,
                                        const BoundOperand& moves) {
  return enqueue_rows(device_.queue, p_.precision, width_,
                      built_panels(device_, p_.precision, width_), panel.first, count, columns,
                      triangle, moves);
}

// A launch clears as much of the other board as it uses itself. Later panels are not longer.
cl::Event enqueue_panel(const TargetDevice& device, cl::Queue& queue, Precision precision,
                        std::int64_t width, BuiltProgram& built, const PanelLaunch& launch) {
  cl::Kernel& kernel = built.kernel("lu_panel");
  const PanelBoards boards(device.panels.rows_of_group, launch.rows, width);
  const std::uint64_t second = launch.board_distance;
  KernelArguments(kernel, precision)
      .size(launch.rows)
      .operand(launch.column)
      .buffer(*launch.boards)
      .offset(launch.second_board ? second : 0)
      .offset(launch.second_board ? 0 : second)
      .offset(static_cast<std::uint64_t>(boards.words))
      .buffer(*launch.moves.buffer)
      .offset(launch.moves.offset_bytes / sizeof(std::int32_t))
      .buffer(*launch.results.buffer)
      .offset(launch.results.offset_bytes / sizeof(std::int32_t))
      .size(launch.first)
      .size(device.panels.polls);
  const auto items = static_cast<std::size_t>(device.panels.rows_of_group * width / inner);
  return queue.enqueue(kernel, {{static_cast<std::size_t>(boards.groups) * items, 1}, {items, 1}});
}

cl::Event enqueue_rows(cl::Queue& queue, Precision precision, std::int64_t width,
                       BuiltProgram& built, std::int64_t first, std::int64_t count,
                       const BoundOperand& columns, const BoundOperand& triangle,
                       const BoundOperand& moves) {
  cl::Kernel& kernel = built.kernel("panel_rows");
  KernelArguments(kernel, precision)
      .size(count)
      .operand(columns)
      .offset(triangle.offset_bytes / element_size(precision))
      .buffer(*moves.buffer)
      .offset(moves.offset_bytes / sizeof(std::int32_t))
      .size(first);
  const auto items = static_cast<std::size_t>(width);
  const auto groups = static_cast<std::size_t>(parts(count, columns_of_group));
  return queue.enqueue(kernel, {{groups * items, 1}, {items, 1}});
}

}  // namespace duoblas
