// The common part of factorisations on a device: the matrix, whose rows are LAPACK's columns, the
// transfers to and from it, and products in it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "gpu/device/transfer_pipeline.hpp"
#include "gpu/product/product.hpp"
#include "kernel_space/device_blocks.hpp"
#include "kernel_space/kernel_params.hpp"
#include "memory/pinned_memory.hpp"
#include "problem/host_rect.hpp"
#include "problem/lapack_problem.hpp"

namespace duoblas {

/// A place in the matrix; rows are LAPACK's columns.
struct DeviceArea {
  std::int64_t row = 0, column = 0, rows = 0, columns = 0;
  bool empty() const { return rows <= 0 || columns <= 0; }
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
  /// As many rows as the matrix has, of a panel's width; for QR twice as wide.
  BoundOperand panel_scratch(std::int64_t row, std::int64_t column) const;

  /// Another use of that memory: panels of panel_bytes() for potrf, right-hand sides for getrs and
  /// potrs.
  BoundOperand scratch(std::size_t offset, std::size_t pitch) const {
    return {panel_, offset, pitch, SharingMode::staged};
  }
  /// For getrf: the numbers that kernels read beside a panel, panel_numbers() for each.
  BoundOperand numbers_of_panel(std::int64_t number) const;
  /// For orgqr and ormqr: V' of reflectors, one row each.
  BoundOperand reflector(std::int64_t number, std::int64_t row) const;

  /// Sends from the caller's memory to the same place.
  void send(const DeviceArea& area);
  /// Sends from any host memory to a place that no kernel reads before it is there.
  void send(const HostRect& from, const BoundOperand& to);
  /// Fills all of it, and of a second matrix. What is sent later comes after that.
  void fill_with_zeros();
  /// Sends other numbers that kernels read, into a buffer that exists until drain(). `data` has
  /// been read when this returns.
  std::shared_ptr<const cl::Buffer> send_bytes(const void* data, std::size_t bytes);
  /// c = alpha op(a) op(b) + beta c, with the sizes, ops and scalars of `product`; after everything
  /// that was sent. Flushed.
  void multiply(const GemmProblem& product, const BoundOperand& a, const BoundOperand& b,
                const BoundOperand& c);
  /// From now on multiply() does not flush, which takes the host 2 us. Waiting here flushes, and so
  /// does starting a transfer back. The caller flushes before another queue waits.
  void flush_later() { flushes_ = false; }
  void flush() { device_->queue.flush(); }
  /// For other kernels and fills: kernels start after what was sent. Pass their event to note().
  void start_after_sent();
  void note(cl::Event&& event);
  /// After the kernels so far. Not flushed.
  void copy(const BoundOperand& from, const BoundOperand& to, std::int64_t rows,
            std::int64_t columns);
  /// Fetches to host memory, after the kernels so far.
  void fetch(const DeviceArea& area, const HostRect& to, std::size_t& rows_done);
  /// `leaves_gaps`: memory between the rows belongs to others.
  void fetch(const BoundOperand& from, const HostRect& to, std::size_t& rows_done,
             bool leaves_gaps = true);
  HostRect on_host(const DeviceArea& area) const;

  /// Page-locked memory that exists until the end. Call it once. \throws DeviceError.
  std::byte* panel_memory(std::size_t bytes);
  /// Sends from that memory, beside the transfers of send(). Flushed; in order.
  std::shared_ptr<const cl::Event> send_panel(const HostRect& from, const BoundOperand& to);
  /// Later products start after the event.
  void start_after(const cl::Event& event) { device_->queue.start_after(event); }
  /// A transfer to such memory. It has arrived when its event has ended, unless a kernel before it
  /// failed.
  struct Download {
    std::shared_ptr<const cl::Event> arrived, after;
    EarlierKernels earlier;
  };
  /// Starts after the kernels so far. Flushed.
  Download start_download(const BoundOperand& from, const HostRect& to);
  /// Does not ask whether kernels failed that were followed by others: one question for each takes
  /// 50 to 160 us in all beside a thread that launches. Whoever lets go of what has arrived asks
  /// before, as require_earlier() does. \throws DeviceError.
  void wait_for(const Download& download);
  /// From any thread. \throws DeviceError.
  void require_earlier(const Download& download) {
    require_all(queues_.downloads, download.earlier);
  }
  TransferQueues& queues() { return queues_; }

  /// Waits until everything that is fetched is there.
  void wait_for_results();
  void finish();
  void drain() noexcept;
  /// For another job that uses the matrix, and has `others` bytes of its own beside what products
  /// with these needs take, which this allocates. False: the device has no room for it. \pre
  /// finish(). \throws DeviceError.
  bool make_more_room(const DeviceBytes& needs, std::size_t others);

 private:
  EarlierKernels take_unasked();
  void make_for_products(const DeviceBytes& needs);

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
  EarlierKernels kernels_;  ///< nobody has checked yet whether they failed
  std::vector<std::shared_ptr<const cl::Event>> sent_panels_;  ///< likewise
  std::shared_ptr<const cl::Event> sent_, last_;
  std::vector<std::shared_ptr<const cl::Buffer>> numbers_;
  std::unique_ptr<PinnedMemory> panel_memory_;
};

}  // namespace duoblas
