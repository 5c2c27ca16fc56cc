// potrf on a device that works on copies.
//
//     host     factorises block 0 | inverts leaves | ........ | factorises block 1 | ...
//     bus      block 0, inverses ->                <- block 1                        <- panel 0
//     device        panel 0 = what is below block 0 times inverses | block 1 | the rest
//
// Strips of the matrix arrive meanwhile; late ones get the earlier updates then. Panels arrive in
// page-locked memory, and are copied from there to the caller's. Where a solve follows, the device
// also copies them to where they belong in its matrix, since their own places serve in turns.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "gpu/lapack/background_copies.hpp"
#include "gpu/lapack/factors_on_device.hpp"
#include "gpu/lapack/later_launches.hpp"
#include "gpu/lapack/matrix_on_device.hpp"
#include "gpu/level3/diagonal_blocks.hpp"

namespace duoblas {

class CholeskyOnDevice final : public FactorsOnDevice {
 public:
  CholeskyOnDevice(const std::shared_ptr<OpenedDevice>& device, const LapackProblem& p,
                   const KernelParams& kernel, std::int64_t width);

  void send(std::int64_t first) override;
  void* panel() override { return slot_of(panels_.size()).block; }
  void apply(Interval panel, Interval next) override;
  void wait_for_next() override;
  void finish() override;
  std::int64_t abandon() noexcept override;
  void keep_factors() override { keeps_factors_ = true; }
  std::unique_ptr<FactorsOnDevice> solver(const LapackProblem& potrs) override;
  std::int64_t lines_done() const noexcept override { return lines_done_; }

 private:
  /// Memory of a panel. Slots alternate: one panel is factorised while another one is copied to the
  /// caller's memory.
  struct Slot {
    std::byte* inverses = nullptr;  ///< followed by
    std::byte* block = nullptr;     ///< on the diagonal
    std::byte* panel = nullptr;     ///< behind that, without gaps
  };

  bool is_lower() const { return matrix_.problem().uplo == Uplo::lower; }
  Slot& slot_of(std::size_t panel) { return slots_[panel % slots_.size()]; }
  DeviceArea strip(Interval lines) const;
  DeviceArea behind(Interval panel) const;
  BoundOperand panel_at(std::size_t panel, std::int64_t line, std::int64_t of_panel) const;
  HostRect block_rect(const Slot& slot, Interval lines) const;
  void copy_block(void* to, std::int64_t to_ld, const void* from, std::int64_t from_ld,
                  std::int64_t lines) const noexcept;

  void send_block(const Slot& slot, Interval panel);
  void solve(std::size_t number);
  void update(std::size_t panel, const DeviceArea& area);
  void update_strips(std::size_t panel, std::int64_t first, std::int64_t end);
  void take_arrived(std::int64_t needed);
  HostRect landing_place(const Slot& slot, const DeviceArea& below) const;
  void start_download(const Slot& slot, Interval panel);
  void publish_arrived();
  void keep_panel();

  MatrixOnDevice matrix_;
  const KernelParams kernel_;
  const std::int64_t width_;
  bool keeps_factors_ = false;
  DenseBlock inverses_;
  std::shared_ptr<const cl::Buffer> factor_;  ///< of the panel: inverses, then the block
  std::vector<char> ill_conditioned_;         ///< of each leaf: whether it is solved for twice
  std::array<Slot, 3> slots_;
  std::vector<Interval> panels_;           ///< already applied
  ArrivingParts parts_{copies_, matrix_};  ///< with all panels before the present one
  std::int64_t lines_done_ = 0;
  Interval next_;
  bool is_last_ = false;
  MatrixOnDevice::Download next_download_;
  std::shared_ptr<const cl::Event> leaving_;  ///< the transfer of the panel that was applied last
  BackgroundCopies copies_;
  LaterLaunches later_;  ///< updates behind the next block
};

}  // namespace duoblas
