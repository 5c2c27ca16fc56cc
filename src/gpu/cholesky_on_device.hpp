// potrf on a device that works on copies.
#pragma once

#include <vector>

#include "gpu/matrix_on_device.hpp"

namespace duoblas {

class CholeskyOnDevice final : public FactorsOnDevice {
 public:
  CholeskyOnDevice(const std::shared_ptr<OpenedDevice>& device, const LapackProblem& p,
                   const KernelParams& kernel, std::int64_t width);

  void send(std::int64_t first) override;
  void apply(Interval panel, Interval next) override;
  void wait_for_next() override;
  void finish() override;
  std::int64_t abandon() noexcept override;

 private:
  bool is_lower() const { return matrix_.problem().uplo == Uplo::lower; }
  DeviceArea strip(Interval lines) const;
  void update(Interval panel, Interval lines);
  void keep_arrived() noexcept;

  MatrixOnDevice matrix_;
  Interval next_;
  std::vector<std::byte> landing_;  ///< of a strip, of which one triangle is not to be written
  std::size_t arrived_ = 0;
};

}  // namespace duoblas
