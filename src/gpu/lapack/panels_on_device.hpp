// Panels of LU that the device factorises itself (kernels/lu_panel.cl), and the rows of U beside
// them (kernels/panel_rows.cl).
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include <duoblas/error.hpp>

#include "gpu/device/opened_device.hpp"
#include "memory/bound_operand.hpp"
#include "problem/lapack_problem.hpp"
#include "problem/partition.hpp"

namespace duoblas {

/// A panel: `rows` of its columns from `column` on, whose first row is `first`. As `moves` it
/// leaves RowMoves with as many moves back as it has columns.
struct PanelLaunch {
  std::int64_t rows = 0, first = 0;
  BoundOperand column, moves;
  const cl::Buffer* boards = nullptr;
  std::uint64_t board_distance = 0;  ///< elements from the first board to the second
  bool second_board = false;
  BoundOperand results;  ///< pivots from 1 on; then not zero if groups did not see each other
};

/// What a panel's groups computed is of no use then, which says nothing about the kernel.
class GroupsApart : public DeviceError {
 public:
  GroupsApart() : DeviceError("work-groups of an LU panel did not run at the same time") {}
};

class PanelsOnDevice {
 public:
  /// Null if the host has to factorise the panels. \throws DeviceError.
  static std::unique_ptr<PanelsOnDevice> make(OpenedDevice& device, const LapackProblem& getrf,
                                              std::int64_t width);

  /// Enqueues what comes before the first panel.
  cl::Event clear();
  /// Enqueues a panel. `column`: its first element.
  cl::Event factorise(std::int64_t number, Interval panel, const BoundOperand& column,
                      const BoundOperand& moves);
  /// Enqueues the panel's swaps in so many of LU's columns behind it, and the rows of U there.
  /// `columns`: where these begin, with their first row. `triangle`: the panel's first element.
  cl::Event complete_rows(Interval panel, std::int64_t count, const BoundOperand& columns,
                          const BoundOperand& triangle, const BoundOperand& moves);

  /// PanelLaunch::results of a panel that was enqueued.
  BoundOperand results(std::int64_t number) const;
  std::size_t result_bytes() const { return result_bytes(width_); }
  static std::size_t result_bytes(std::int64_t width);
  /// \throws GroupsApart if the panel's results are none; then the host has the panels from now on.
  void require_complete(const std::int32_t* results);

 private:
  PanelsOnDevice(OpenedDevice& device, const LapackProblem& getrf, std::int64_t width);
  std::size_t all_bytes() const;

  OpenedDevice& device_;
  const LapackProblem p_;
  const std::int64_t width_;
  const std::size_t results_from_;  ///< bytes
  std::shared_ptr<const cl::Buffer> boards_;
};

/// The program, which is tried before its first use.
TriedProgram panel_program(const TargetDevice& device, Precision precision, std::int64_t width);
/// Whether a call's panels are such ones, unless that program fails: all of them have `width`
/// columns, and what is left has fewer.
bool suits_panels(const TargetDevice& device, const LapackProblem& getrf, std::int64_t width);

cl::Event enqueue_panel(const TargetDevice& device, cl::Queue& queue, Precision precision,
                        std::int64_t width, BuiltProgram& built, const PanelLaunch& launch);
cl::Event enqueue_rows(cl::Queue& queue, Precision precision, std::int64_t width,
                       BuiltProgram& built, std::int64_t first, std::int64_t count,
                       const BoundOperand& columns, const BoundOperand& triangle,
                       const BoundOperand& moves);
/// TriedProgram::trial: a panel of several groups, and rows of U. \throws GroupsApart.
std::string wrong_in_panels(const TargetDevice& device, Precision precision, std::int64_t width,
                            BuiltProgram& built, std::uint64_t seed);

}  // namespace duoblas
