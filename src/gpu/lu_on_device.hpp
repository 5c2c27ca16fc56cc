// getrf on a device that works on copies.
#pragma once

#include "gpu/matrix_on_device.hpp"
#include "gpu/row_exchange.hpp"

namespace duoblas {

class LuOnDevice final : public FactorsOnDevice {
 public:
  LuOnDevice(const std::shared_ptr<OpenedDevice>& device, const LapackProblem& p,
             const KernelParams& kernel, std::int64_t width);

  void send(std::int64_t first) override;
  void apply(Interval panel, Interval next) override;
  void wait_for_next() override;
  void finish() override;
  std::int64_t abandon() noexcept override;

 private:
  void update(Interval panel, Interval columns, const RowMoves& moves);

  MatrixOnDevice matrix_;
  std::shared_ptr<const cl::Buffer> moves_, inverses_;  ///< of the panel
  std::size_t arrived_ = 0;
};

}  // namespace duoblas
