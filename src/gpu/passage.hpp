// One product on its way to the device and back (transfer_pipeline.hpp has the picture).
#pragma once

#include <chrono>
#include <memory>
#include <vector>

#include "gpu/gpu_side.hpp"
#include "gpu/panels.hpp"
#include "gpu/product.hpp"
#include "gpu/routes.hpp"
#include "gpu/transfer_lanes.hpp"

namespace duoblas {

class Passage {
 public:
  /// Allocates. The caller holds the device's mutex. \throws DeviceError.
  Passage(TransferLanes& lanes, const GemmProblem& part, const KernelParams& kernel,
          const Routes& routes);
  ~Passage();
  Passage(const Passage&) = delete;
  Passage& operator=(const Passage&) = delete;

  /// Does it all, and takes the device's mutex for that time. \throws DeviceError, after which the
  /// caller's C has its old values where they are needed (beta != 0), and nothing is under way.
  GpuJobTimes run();

 private:
  /// A matrix of the caller's.
  struct HostMatrix {
    char* data = nullptr;
    std::size_t rows = 0;
    std::size_t row_bytes = 0;
    std::size_t pitch = 0;
    bool locked = false;                       ///< page-locked: the device reaches it itself
    const ResidentMatrix* resident = nullptr;  ///< of which it is a part
  };
  /// It or a part of it, and where that begins on the device.
  struct Place {
    HostMatrix host;
    std::size_t offset = 0;
    std::size_t bytes() const;
    RowsCopy rows() const;
    cl::RectCopy rectangle() const;
  };
  struct Panel {
    GemmProblem problem;
    Place a, b, c;
  };

  static HostMatrix matrix(const void* data, std::int64_t rows, std::int64_t columns,
                           std::int64_t ld, Precision precision);
  void lock_pages();
  void lay_out(const Panels& cut);
  std::shared_ptr<const cl::Buffer> buffer_for(const Place& last, ScratchBuffer& kept) const;
  void carry_out();
  /// The panels' results are written to the caller's C by the device.
  bool lands_in_c() const { return locked_c_ && part_.overwrites_c(); }
  BoundOperand send(const Place& place, const std::shared_ptr<const cl::Buffer>& to);
  void multiply(const Panel& panel, const BoundOperand& a, const BoundOperand& b);
  void fetch(const Panel& panel);
  void wait_for(std::size_t panel);
  void publish(const Panel& panel);

  TransferLanes& lanes_;
  const GemmProblem part_;
  const KernelParams kernel_;
  const Routes routes_;
  LockedUse locked_a_, locked_b_, locked_c_;
  const std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  std::vector<Panel> panels_;
  bool a_stays_ = false;  ///< else B does
  std::shared_ptr<const cl::Buffer> a_, b_, c_;
  std::unique_ptr<LandingMemory> landing_;
  ProductScratch scratch_;
  std::shared_ptr<const cl::Event> sent_;                            ///< all uploads so far
  std::vector<std::shared_ptr<const cl::Event>> fetched_by_device_;  ///< from locked pages
  std::vector<cl::Event> multiplied_, landed_;                       ///< by panel
};

}  // namespace duoblas
