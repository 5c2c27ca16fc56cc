// getrf on a device that works on copies.
//
//     host     panel 0                | panel 1           | panel 2
//     bus      columns 1, 2, 3, ..      4, 5, ..  panel 0 -> <- columns 1   panel 1 -> <- columns 2
//     device                              panel 0 on columns 1 | on 2, 3 | 0 on 4, 5; 1 on 2 | ..
//
// Panels are factorised in page-locked memory, where their columns arrive. They are copied to the
// caller's memory when a whole panel is there. Columns that arrive late get the earlier updates
// then.
//
// Or the device makes the panels (panels_on_device.hpp), where the host only copies:
//
//     bus      columns 0, 1, 2, ..           4, 5, ..      <- panel 0       <- panel 1
//     device              panel 0 | rows of U, update | panel 1 | rows of U, update | ..
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "gpu/lapack/background_copies.hpp"
#include "gpu/lapack/factors_on_device.hpp"
#include "gpu/lapack/lapack_memory.hpp"
#include "gpu/lapack/later_launches.hpp"
#include "gpu/lapack/matrix_on_device.hpp"
#include "gpu/lapack/panels_on_device.hpp"
#include "gpu/lapack/row_exchange.hpp"
#include "gpu/level3/diagonal_blocks.hpp"
#include "gpu/level3/triangle_leaves.hpp"

namespace duoblas {

class LuOnDevice final : public FactorsOnDevice {
 public:
  LuOnDevice(const std::shared_ptr<OpenedDevice>& device, const LapackProblem& p,
             const KernelParams& kernel, std::int64_t width);

  void send(std::int64_t first) override;
  void* panel() override { return slot_of(steps_.size()).panel; }
  PanelInverse* inverse() override;
  void apply(Interval panel, Interval next) override;
  void wait_for_next() override;
  void finish() override;
  std::int64_t abandon() noexcept override;
  std::unique_ptr<FactorsOnDevice> solver(const LapackProblem& getrs) override;
  std::int64_t lines_done() const noexcept override { return lines_done_; }
  bool makes_panels() const override { return panels_ != nullptr; }
  int info() const override { return info_; }

 private:
  /// Memory of a panel. Slots alternate: one panel is factorised while another one is copied to the
  /// caller's memory.
  struct Slot {
    std::byte* panel = nullptr;  ///< columns of all rows
    std::byte* numbers = nullptr;
    MatrixOnDevice::Download rest;  ///< rows of the panel
    MatrixOnDevice::Download top;   ///< rows that belong to U already
  };
  /// The update by one panel.
  struct Step {
    Interval panel;
    std::int64_t width = 0, count = 0;  ///< as RowMoves has them
    std::vector<TriangleLeaf> leaves;
    std::int64_t inverse_pitch = 0;  ///< from one line of an inverse to the next
  };
  Slot& slot_of(std::size_t panel) { return slots_[panel % slots_.size()]; }
  void* column_of(const Slot& slot, std::int64_t row) const;
  HostRect rows_of_slot(const Slot& slot, Interval panel, std::int64_t begin,
                        std::int64_t end) const;

  void send_numbers(const Slot& slot, Interval panel);
  void publish(Slot& slot, Interval panel);
  void take_arrived(std::int64_t needed);
  void update(std::size_t step, Interval columns);
  void fetch(Interval next);
  void factorise(Interval panel);
  void apply_own(Interval panel, Interval next);

  MatrixOnDevice matrix_;
  const KernelParams kernel_;
  const std::int64_t width_;
  const PanelNumbers numbers_;
  PanelInverse inverse_;  ///< of the next applied panel, if it was made
  DenseBlock inverses_;   ///< of its leaves, if not
  std::vector<Slot> slots_;
  std::vector<Step> steps_;
  /// The ends of panels that are copied to the caller. A panel is noted here before it has a step.
  std::vector<std::int64_t> panel_ends_;
  ArrivingParts parts_{copies_, matrix_};  ///< with all steps but the last
  MatrixOnDevice::Download next_download_;
  std::unique_ptr<PanelsOnDevice> panels_;  ///< null: the host makes them
  int info_ = 0;                            ///< of published panels, if the device makes them
  bool is_last_ = false;
  std::size_t arrived_ = 0;  ///< of the last columns
  std::int64_t lines_done_ = 0;
  BackgroundCopies copies_;
  LaterLaunches later_;  ///< updates behind the next panel
};

}  // namespace duoblas
