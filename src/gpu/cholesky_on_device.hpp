// potrf on a device that works on copies.
//
//     host     factorises block 0 | inverts leaves | ........ | factorises block 1 | ...
//     bus      block 0, inverses ->                <- block 1                        <- panel 0
//     device        panel 0 = what is below block 0 times inverses | block 1 | the rest
#pragma once

#include <array>
#include <vector>

#include "gpu/diagonal_blocks.hpp"
#include "gpu/matrix_on_device.hpp"

namespace duoblas {

class CholeskyOnDevice final : public FactorsOnDevice {
 public:
  CholeskyOnDevice(const std::shared_ptr<OpenedDevice>& device, const LapackProblem& p,
                   const KernelParams& kernel, std::int64_t width);

  void send(std::int64_t first) override;
  void apply(Interval panel, Interval next) override;
  void wait_for_next() override;
  void* diagonal() override { return block_.data(); }
  void finish() override;
  /// Of the panel from lines_done() on so many device rows behind the diagonal block, if any, are
  /// there, and of that block what belongs to them: of a lower triangle its first columns, of an
  /// upper one all.
  std::int64_t abandon() noexcept override;
  std::int64_t lines_done() const noexcept override { return lines_done_; }

 private:
  /// A panel on its way to the caller's memory.
  struct Leaving {
    Interval panel;
    std::size_t rows = 0, rows_done = 0;
    DenseBlock block;  ///< on the diagonal, factorised
  };

  bool is_lower() const { return matrix_.problem().uplo == Uplo::lower; }
  DeviceArea strip(Interval lines) const;
  DeviceArea behind(Interval panel) const;
  BoundOperand panel_at(std::size_t slot, std::int64_t line, std::int64_t of_panel) const;
  HostRect block_rect(Interval lines);

  void send_block(Interval panel);
  void solve(Interval panel, std::size_t slot);
  void update(std::size_t slot, std::int64_t depth, const DeviceArea& area);
  void update_strip(std::size_t slot, std::int64_t depth, Interval lines);
  void wait_for_panel(std::size_t slot);
  void publish_block(const Leaving& leaving, std::int64_t columns) noexcept;
  void keep_last_lines() noexcept;

  MatrixOnDevice matrix_;
  const std::int64_t width_;
  DenseBlock block_, inverses_;
  std::shared_ptr<const cl::Buffer> factor_;  ///< of the panel: inverses, then the block
  std::vector<char> ill_conditioned_;         ///< of each leaf: whether it is solved for twice
  std::array<Leaving, 2> leaving_;            ///< by slot
  std::size_t panels_ = 0;
  std::int64_t lines_done_ = 0;
  Interval next_;
  bool is_last_ = false;
  std::size_t block_arrived_ = 0;
  std::vector<std::byte> last_lines_;  ///< of which one triangle is not to be written
};

}  // namespace duoblas
