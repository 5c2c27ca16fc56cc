// What factorisations on a device have in common: the matrix there, with rows that are LAPACK's
// columns, the queues to it and back, and products in it.
#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include "gpu/factors_on_device.hpp"
#include "gpu/product.hpp"
#include "gpu/transfer_queues.hpp"
#include "memory/pinned_memory.hpp"

namespace duoblas {

/// A place in the matrix: rows are LAPACK's columns.
struct DeviceArea {
  std::int64_t row = 0, column = 0, rows = 0, columns = 0;
  bool empty() const { return rows <= 0 || columns <= 0; }
};

/// Of a panel of potrf: as many rows as it has lines (lower), or of their length (upper).
std::size_t panel_pitch(const LapackProblem& potrf, std::int64_t width);
std::size_t panel_bytes(const LapackProblem& potrf, std::int64_t width);
/// So many of these the device has at a time: strips of the matrix may arrive later by as much.
inline constexpr std::size_t panels_on_device = 8;

/// Numbers that go with a panel of getrf: the moves of its rows, and inverses of its leaves.
struct PanelNumbers {
  static constexpr std::int64_t leaf = 64;  ///< lines of a triangle that is inverted

  PanelNumbers(Precision precision, std::int64_t width);
  std::size_t inverses_from, bytes;  ///< both are multiples of what any kernel wants
};

class MatrixOnDevice {
 public:
  /// \throws DeviceError.
  MatrixOnDevice(const std::shared_ptr<OpenedDevice>& device, const LapackProblem& p,
                 const KernelParams& kernel, std::int64_t width);
  MatrixOnDevice(const MatrixOnDevice&) = delete;
  MatrixOnDevice& operator=(const MatrixOnDevice&) = delete;
  ~MatrixOnDevice();

  OpenedDevice& device() { return *device_; }
  const LapackProblem& problem() const { return p_; }
  BoundOperand at(std::int64_t row, std::int64_t column) const;
  /// As many rows as the matrix has, of a panel's width; of QR twice as wide.
  BoundOperand panel_scratch(std::int64_t row, std::int64_t column) const;

  /// The same memory otherwise: of potrf panels of panel_bytes(), of getri and potri a second
  /// matrix, of getrs and potrs right-hand sides.
  BoundOperand scratch(std::size_t offset, std::size_t pitch) const {
    return {panel_, offset, pitch, SharingMode::staged};
  }
  /// Of getrf: what kernels read of a panel beside it, panel_numbers() for each.
  BoundOperand numbers_of_panel(std::int64_t number) const;
  /// Of orgqr and ormqr: V' of reflectors, a row for each.
  BoundOperand reflector(std::int64_t number, std::int64_t row) const;

  /// From the caller's memory to the same place.
  void send(const DeviceArea& area);
  /// From any memory of the host to a place that no kernel is going to read before it is there.
  void send(const HostRect& from, const BoundOperand& to);
  /// All of it, and of a second matrix; what is sent comes after.
  void fill_with_zeros();
  /// Other numbers that kernels read: a buffer that lives until drain(). They have been read when
  /// this returns.
  std::shared_ptr<const cl::Buffer> send_bytes(const void* data, std::size_t bytes);
  /// c = alpha op(a) op(b) + beta c, of which `product` has all but the places; after what was
  /// sent. Flushed.
  void multiply(const GemmProblem& product, const BoundOperand& a, const BoundOperand& b,
                const BoundOperand& c);
  /// From now on multiply() does not flush, which takes the host 2 us (NVIDIA H100, driver 580).
  /// What waits here or starts a way back does; before another queue's wait flush() is the
  /// caller's.
  void flush_later() { flushes_ = false; }
  void flush() { device_->queue.flush(); }
  /// For kernels of others: they start after what was sent, and note() gets their event.
  void start_after_sent();
  void note(cl::Event&& event);
  /// To memory of the host, behind the kernels so far.
  void fetch(const DeviceArea& area, const HostRect& to, std::size_t& rows_done);
  /// `leaves_gaps`: what lies between the rows is something else.
  void fetch(const BoundOperand& from, const HostRect& to, std::size_t& rows_done,
             bool leaves_gaps = true);
  HostRect on_host(const DeviceArea& area) const;

  /// Page-locked memory until the end. Once. \throws DeviceError.
  std::byte* panel_memory(std::size_t bytes);
  /// From there, beside what send() has on its way. Flushed; in their order.
  std::shared_ptr<const cl::Event> send_panel(const HostRect& from, const BoundOperand& to);
  /// What is multiplied from now on comes after it.
  void start_after(const cl::Event& event) { device_->queue.start_after(event); }
  /// What has arrived in such memory when its event has ended, unless a kernel before it failed.
  struct Download {
    std::shared_ptr<const cl::Event> arrived, after;
    EarlierKernels earlier;
  };
  /// Behind the kernels so far. Flushed.
  Download start_download(const BoundOperand& from, const HostRect& to);
  /// Does not ask whether kernels failed that were followed by others: one question for each takes
  /// 50 to 160 us in all beside a thread that launches (H100). Whoever lets go of what has arrived
  /// asks before, as require_earlier() does. \throws DeviceError.
  void wait_for(const Download& download);
  /// From any thread. \throws DeviceError.
  void require_earlier(const Download& download) {
    require_all(queues_.downloads, download.earlier);
  }
  TransferQueues& queues() { return queues_; }

  /// Until what is fetched is there.
  void wait_for_results();
  void finish();
  void drain() noexcept;

 private:
  EarlierKernels take_unasked();

  const std::shared_ptr<OpenedDevice> device_;
  const std::unique_lock<std::mutex> guard_;
  TransferQueues& queues_;
  const LapackProblem p_;
  KernelParams kernel_;
  std::size_t pitch_ = 0, panel_pitch_ = 0, after_scratch_ = 0;
  std::int64_t width_ = 0;
  std::shared_ptr<const cl::Buffer> matrix_, panel_;
  ProductScratch scratch_;
  bool flushes_ = true;
  EarlierKernels kernels_;  ///< that nobody has asked yet whether they failed
  std::vector<std::shared_ptr<const cl::Event>> sent_panels_;  ///< likewise
  std::shared_ptr<const cl::Event> sent_, last_;
  std::vector<std::shared_ptr<const cl::Buffer>> numbers_;
  std::unique_ptr<PinnedMemory> panel_memory_;
};

}  // namespace duoblas
