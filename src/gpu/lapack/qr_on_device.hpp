// QR on a device that works on copies: products with block reflectors from the left, of the matrix
// itself (geqrf), of what is to become Q (orgqr), or of another matrix (ormqr: the problem's A).
//
// For geqrf and ormqr the matrix is sent during the host's panels (background_copies.hpp). V, T and
// geqrf's panels use page-locked memory. Columns that arrive late get the earlier reflectors then.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "gpu/lapack/background_copies.hpp"
#include "gpu/lapack/factors_on_device.hpp"
#include "gpu/lapack/matrix_on_device.hpp"

namespace duoblas {

class QrOnDevice final : public FactorsOnDevice {
 public:
  QrOnDevice(const std::shared_ptr<OpenedDevice>& device, const LapackProblem& p,
             const KernelParams& kernel, std::int64_t width);

  /// orgqr: sends an identity.
  void send(std::int64_t first) override;
  ReflectorMemory reflector_memory() override;
  void reflect(const PanelReflector& reflector) override;
  void* panel() override { return landing_; }
  void apply(Interval panel, Interval next) override;
  void wait_for_next() override;
  void finish() override;
  std::int64_t abandon() noexcept override;

 private:
  /// Memory for a panel's V and T. Slots alternate: one is made while others are sent.
  struct Slot {
    std::byte *v = nullptr, *t = nullptr;
    std::shared_ptr<const cl::Event> sent;
  };
  /// A product with a panel's reflectors.
  struct Step {
    Interval panel;
    Op op = Op::none;
    std::shared_ptr<const cl::Buffer> triangle;
    std::size_t triangle_pitch = 0;
  };
  bool is_orgqr() const { return matrix_.problem().routine == LapackRoutine::orgqr; }
  Slot& slot() { return slots_[steps_.size() % slots_.size()]; }
  void make_slots();
  void send_identity();
  void take_arrived(std::int64_t needed);
  void update(const Step& step, Interval columns);
  BoundOperand v(Interval panel, std::int64_t row) const;

  MatrixOnDevice matrix_;
  const std::int64_t width_, ldv_;
  std::array<Slot, 3> slots_;
  std::byte* landing_ = nullptr;  ///< of geqrf
  std::vector<Step> steps_;
  ArrivingParts parts_{copies_, matrix_};  ///< with all steps but the last
  MatrixOnDevice::Download next_download_;
  bool is_last_ = false;
  std::size_t arrived_ = 0;  ///< of the last columns
  BackgroundCopies copies_;
};

}  // namespace duoblas
