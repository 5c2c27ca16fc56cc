// QR on a device that works on copies: products with block reflectors from the left, of the matrix
// itself (geqrf), of what is to become Q (orgqr), or of another matrix (ormqr: the problem's A).
#pragma once

#include "gpu/matrix_on_device.hpp"

namespace duoblas {

class QrOnDevice final : public FactorsOnDevice {
 public:
  QrOnDevice(const std::shared_ptr<OpenedDevice>& device, const LapackProblem& p,
             const KernelParams& kernel, std::int64_t width);

  /// orgqr: sends an identity.
  void send(std::int64_t first) override;
  void reflect(const PanelReflector& reflector) override;
  void apply(Interval panel, Interval next) override;
  void wait_for_next() override;
  void finish() override;
  std::int64_t abandon() noexcept override;

 private:
  void update(Interval panel, Interval columns);
  void send_identity();
  BoundOperand v(Interval panel, std::int64_t row) const;

  MatrixOnDevice matrix_;
  const std::int64_t width_;
  Op op_ = Op::none;
  std::shared_ptr<const cl::Buffer> triangle_;
  std::size_t triangle_pitch_ = 0;
  std::size_t arrived_ = 0;
};

}  // namespace duoblas
