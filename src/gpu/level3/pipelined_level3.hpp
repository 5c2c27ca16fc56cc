// One level-3 call on a device: does the steps of level3_program.hpp on the queues of products
// (product/pipelined_product.hpp has a picture).
#pragma once

#include <cstdint>
#include <deque>
#include <exception>
#include <memory>
#include <optional>
#include <vector>

#include "gpu/device/direct_results.hpp"
#include "gpu/device/transfer_pipeline.hpp"
#include "gpu/level3/diagonal_blocks.hpp"
#include "gpu/level3/leaf_inverses.hpp"
#include "gpu/level3/level3_launches.hpp"
#include "gpu/level3/level3_memory.hpp"
#include "gpu/level3/level3_program.hpp"
#include "gpu/level3/level3_times.hpp"
#include "gpu/level3/lines_apart.hpp"
#include "gpu/product/product.hpp"
#include "kernel_space/kernel_params.hpp"
#include "memory/page_prefault.hpp"
#include "problem/host_rect.hpp"
#include "timing/stopwatch.hpp"

namespace duoblas {

struct Level3Outcome {
  std::exception_ptr failure;  ///< null: everything is done
  Level3Progress progress;
  bool may_write_c = false;  ///< if the device hangs
  Level3Times times;
};

class PipelinedLevel3 {
 public:
  /// Allocates and builds kernels. The caller holds the device's mutex. \throws DeviceError.
  PipelinedLevel3(TransferQueues& queues, const Level3Problem& problem, const KernelParams& kernel,
                  const BlockSizes& sizes, Level3Operands operands);
  PipelinedLevel3(const PipelinedLevel3&) = delete;
  PipelinedLevel3& operator=(const PipelinedLevel3&) = delete;

  /// Does everything, and holds the device's mutex meanwhile. After a failure nothing is running,
  /// and unfinished lines of C have their old values.
  Level3Outcome run() noexcept;

 private:
  /// A matrix on the device, without or with gaps between its rows, or a part of it that begins at
  /// `first`.
  struct Stored {
    std::shared_ptr<const cl::Buffer> buffer;
    std::size_t offset = 0, pitch = 0;
    std::int64_t columns = 0;
    const char* host = nullptr;  ///< where it is the host's memory, that of the first element
    DevicePlace first = {};
  };
  struct Diagonal {
    Interval lines;
    DenseBlock* block = nullptr;
  };
  struct Result {
    Interval lines;
    std::size_t rows = 0, done = 0;
    Diagonal* diagonal = nullptr;  ///< stored as its rows are finished
    bool closes = true;            ///< its finished rows are finished rows of C
    bool is_rect = true;
    HostRect apart = {}, to = {};  ///< not done before it is copied from one to the other
  };

  void perform(const SendRect& step);
  void perform(const SendTriangle& step);
  void perform(const SendDiagonal& step);
  void perform(const OverwriteRect& step);
  void perform(const SendInverses& step);
  void perform(const MultiplyStep& step);
  void perform(const FetchRect& step);
  void perform(const FetchDiagonal& step);
  void carry_out();
  void prefault_pages();
  void expect_uploads();
  Gaps gaps_beside(const DeviceRect& rect);
  UploadKind kind_of(const SendTriangle& step);
  void settle();
  Level3Times times() noexcept;
  Level3Progress progress_after_failure() noexcept;
  bool lines_are_rows() const { return updates_triangle(p_.routine) || p_.side == Side::left; }

  Stored& stored(Level3Matrix matrix) { return matrices_[static_cast<std::size_t>(matrix)]; }
  BoundOperand bound(const DevicePlace& place);
  const void* host_at(const DevicePlace& place);
  HostRect on_host(const DeviceRect& rect) const;
  HostRect rect_of_block(const DenseBlock& block, Interval lines) const;
  void place(Level3Matrix matrix, const BoundOperand& operand, const void* host,
             std::int64_t columns);
  void place_apart(const DeviceRect& rect, bool with_values);
  HostRect apart(const DeviceRect& rect) {
    HostRect lines = without_gaps(host_at(rect.at), rect);
    lines.pitch = stored(rect.at.matrix).pitch;
    return lines;
  }
  HostRect without_gaps(const void* data, const DeviceRect& rect) const {
    return rect_of(data, rect.rows, rect.columns, rect.columns, p_.precision);
  }
  void use_own(const HostRect& memory, const DeviceRect& as, cl::Access access);
  DenseBlock& new_block() { return own_.emplace_back(queues_.spare_blocks.take()); }
  DenseBlock& block_for(Level3Matrix matrix) {
    if (is_in_place(matrix)) return new_block();
    if (made_ == nullptr) made_ = &new_block();
    return *made_;
  }
  bool is_in_place(Level3Matrix matrix) const {
    return matrix == Level3Matrix::a ? in_place_.a : in_place_.c;
  }
  bool is_page_locked(Level3Matrix matrix) const;
  /// C has no old values that must survive a failure.
  bool writes_c_directly() const { return operands_.locked_c && !reads_c(p_); }
  bool is_any_result_there() { return queues_.results.advance() || written_.advance(); }
  void send_block(const DenseBlock& block, const DeviceRect& rect);
  template <typename Make>
  void send_made_leaves(Interval lines, std::int64_t further, bool completes_last,
                        const Make& make);
  void send_leaves();
  void expect(const DeviceRect& from, const HostRect& to, Result& result);

  TransferQueues& queues_;
  const Level3Problem p_;
  KernelParams kernel_;
  const BlockSizes sizes_;
  Level3Operands operands_;
  const MatricesInPlace in_place_;
  const bool by_columns_;
  const std::vector<DeviceStep> program_;
  const Stopwatch watch_;
  Stored matrices_[5];
  Level3Launches launches_;
  bool ends_chain_ = true;                 ///< the next step is no product
  DenseBlock* made_ = nullptr;             ///< one of own_, in transfer to the device
  std::deque<DenseBlock> own_;             ///< blocks that the device uses in place, or sends back
  LeavesOnDevice leaves_{queues_};         ///< of a solve whose leaves the device inverts
  DirectResults written_{queues_, 4};      ///< a solve in place keeps each block twice
  LinesApart apart_{queues_};              ///< B and C, by block columns
  std::shared_ptr<const cl::Event> sent_;  ///< uploads since the last product; null: none
  std::deque<Diagonal> diagonals_;
  std::deque<Result> results_;
  std::size_t settled_ = 0;
  Diagonal* stored_ = nullptr;  ///< the last one of which some rows were stored
  Level3Times times_;
  std::unique_ptr<PagePrefault> pages_;  ///< of a C that is new memory
};

}  // namespace duoblas
