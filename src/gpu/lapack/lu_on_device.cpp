// getrf on a device that works on copies.
//
//     host     panel 0                | panel 1           | panel 2
//     bus      columns 1, 2, 3, ..      4, 5, ..  panel 0 -> <- columns 1   panel 1 -> <- columns 2
//     device                              panel 0 on columns 1 | on 2, 3 | 0 on 4, 5; 1 on 2 | ..
//
// Panels are factorised in page-locked memory, where their columns arrive. They are copied to the
// caller's memory when a whole panel is there. Columns that arrive late get the earlier updates
// then.
//
// Or the device makes the panels (panels_on_device.hpp), where the host only copies:
//
//     bus      columns 0, 1, 2, ..           4, 5, ..      <- panel 0       <- panel 1
//     device              panel 0 | rows of U, update | panel 1 | rows of U, update | ..
//
// Updates of getrf on the device. In each column behind the panel rows are swapped (row_exchange),
// then those of U are solved for, and the rest is updated. U is multiplied by the inverse of the
// panel's triangle, which the panel's threads computed in double precision. Where there is none, or
// it is ill-conditioned, solves go by leaves of the triangle, inverted as for trsm
// (level3_program.hpp). Leaves have 64 lines, or fewer where these are ill-conditioned.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <utility>
#include <vector>

#include "gpu/lapack/background_copies.hpp"
#include "gpu/lapack/factors_on_device.hpp"
#include "gpu/lapack/lapack_memory.hpp"
#include "gpu/lapack/later_launches.hpp"
#include "gpu/lapack/matrix_on_device.hpp"
#include "gpu/lapack/panels_on_device.hpp"
#include "gpu/lapack/row_exchange.hpp"
#include "gpu/lapack/solve_on_device.hpp"
#include "gpu/level3/diagonal_blocks.hpp"
#include "gpu/level3/triangle_leaves.hpp"
#include "problem/element_types.hpp"
#include "problem/rounding.hpp"

namespace duoblas {
class LuOnDevice final : public FactorsOnDevice {
 public:
  LuOnDevice(const std::shared_ptr<OpenedDevice>& device, const LapackProblem& p,
             const KernelParams& kernel, std::int64_t width);

  void send(std::int64_t first) override;
  void* panel() override { return slot_of(steps_.size()).panel; }
  PanelInverse* inverse() override;
  void apply(Interval panel, Interval next) override;
  void wait_for_next() override;
  void finish() override;
  std::int64_t abandon() noexcept override;
  std::unique_ptr<FactorsOnDevice> solver(const LapackProblem& getrs) override;
  std::int64_t lines_done() const noexcept override { return lines_done_; }
  bool makes_panels() const override { return panels_ != nullptr; }
  int info() const override { return info_; }

 private:
  /// Memory of a panel. Slots alternate: one panel is factorised while another one is copied to the
  /// caller's memory.
  struct Slot {
    std::byte* panel = nullptr;  ///< columns of all rows
    std::byte* numbers = nullptr;
    MatrixOnDevice::Download rest;  ///< rows of the panel
    MatrixOnDevice::Download top;   ///< rows that belong to U already
  };
  /// The update by one panel.
  struct Step {
    Interval panel;
    std::int64_t width = 0, count = 0;  ///< as RowMoves has them
    std::vector<TriangleLeaf> leaves;
    std::int64_t inverse_pitch = 0;  ///< from one line of an inverse to the next
  };
  Slot& slot_of(std::size_t panel) { return slots_[panel % slots_.size()]; }
  void* column_of(const Slot& slot, std::int64_t row) const;
  HostRect rows_of_slot(const Slot& slot, Interval panel, std::int64_t begin,
                        std::int64_t end) const;

  void send_numbers(const Slot& slot, Interval panel);
  void publish(Slot& slot, Interval panel);
  void take_arrived(std::int64_t needed);
  void update(std::size_t step, Interval columns);
  void fetch(Interval next);
  void factorise(Interval panel);
  void apply_own(Interval panel, Interval next);

  MatrixOnDevice matrix_;
  const KernelParams kernel_;
  const std::int64_t width_;
  const PanelNumbers numbers_;
  PanelInverse inverse_;  ///< of the next applied panel, if it was made
  DenseBlock inverses_;   ///< of its leaves, if not
  std::vector<Slot> slots_;
  std::vector<Step> steps_;
  /// The ends of panels that are copied to the caller. A panel is noted here before it has a step.
  std::vector<std::int64_t> panel_ends_;
  ArrivingParts parts_{copies_, matrix_};  ///< with all steps but the last
  MatrixOnDevice::Download next_download_;
  std::unique_ptr<PanelsOnDevice> panels_;  ///< null: the host makes them
  int info_ = 0;                            ///< of published panels, if the device makes them
  bool is_last_ = false;
  std::size_t arrived_ = 0;  ///< of the last columns
  std::int64_t lines_done_ = 0;
  BackgroundCopies copies_;
  LaterLaunches later_;  ///< updates behind the next panel
};

namespace {

constexpr std::int64_t leaf = PanelNumbers::leaf;
// U is not corrected for what an inverse loses. Leaves of random matrices (normal, uniform), of
// Hilbert's and of a Gaussian kernel's had condition numbers of 540 to 700, at the most 1520
// (medians of n = 1024 and 2048, LAPACK's dgetrf). Triangles of 128 lines had 2000 to 2500, at the
// most 6350, the Gaussian kernel's 10200 (n = 1024). That of 8 lines is at most 1024.
constexpr double most_condition = 1e4;

// The panel's triangle with ones on its diagonal: as rows of the device it is an upper one.
Level3Problem triangle_of(const LapackProblem& p, const void* block) {
  return solve_with({Side::right, Uplo::upper, Op::none, Diag::unit}, p.precision, block, p.m);
}

}  // namespace

LuOnDevice::LuOnDevice(const std::shared_ptr<OpenedDevice>& device, const LapackProblem& p,
                       const KernelParams& kernel, std::int64_t width)
    : matrix_(device, p, kernel, width),
      kernel_(kernel),
      width_(width),
      numbers_(p.precision, width),
      copies_(matrix_.queues()) {
  prepare_products(matrix_.device(), p, kernel, width);
  prepare_exchange(matrix_.device(), p.precision);
  panels_ = PanelsOnDevice::make(matrix_.device(), p, width);
  if (panels_) matrix_.note(panels_->clear());
  slots_.resize(panels_ ? 6 : 3);
  matrix_.flush_later();
  const std::size_t bytes = static_cast<std::size_t>(p.m * width) * element_size(p.precision);
  std::byte* memory = matrix_.panel_memory(slots_.size() * (numbers_.bytes + bytes));
  for (Slot& slot : slots_) {
    slot.numbers = memory;
    slot.panel = memory + numbers_.bytes;
    memory = slot.panel + bytes;
  }
}

void* LuOnDevice::column_of(const Slot& slot, std::int64_t row) const {
  return slot.panel + static_cast<std::size_t>(row) * element_size(matrix_.problem().precision);
}

HostRect LuOnDevice::rows_of_slot(const Slot& slot, Interval panel, std::int64_t begin,
                                  std::int64_t end) const {
  const LapackProblem& p = matrix_.problem();
  return rect_of(column_of(slot, begin), panel.count, end - begin, p.m, p.precision);
}

PanelInverse* LuOnDevice::inverse() {
  inverse_ = {slot_of(steps_.size()).numbers + numbers_.inverses_from, round_up(width_, leaf)};
  return &inverse_;
}

void LuOnDevice::send(std::int64_t first) {
  parts_.send_columns(panels_ ? 0 : first, width_);
}

// Numbers that kernels read beside the panel.
void LuOnDevice::send_numbers(const Slot& slot, Interval panel) {
  const LapackProblem& p = matrix_.problem();
  const RowMoves moves = row_moves(panel.first, panel.count, p.pivots + panel.first);
  std::memcpy(slot.numbers, moves.moves.data(), moves.moves.size() * sizeof(std::int32_t));
  Step step{panel, moves.width, moves.count, {}, leaf};
  std::size_t bytes = numbers_.inverses_from;
  if (inverse_.condition <= most_condition) {
    step.leaves = {{0, panel.count, false}};
    step.inverse_pitch = inverse_.pitch;
    bytes += static_cast<std::size_t>(panel.count * inverse_.pitch) * element_size(p.precision);
  } else {
    step.leaves = invert_in_leaves(triangle_of(p, column_of(slot, panel.first)), {0, panel.count},
                                   leaf, most_condition, inverses_);
    std::memcpy(slot.numbers + numbers_.inverses_from, inverses_.data(), inverses_.size());
    bytes += inverses_.size();
  }
  const HostRect rect{slot.numbers, 1, bytes, bytes, 1};
  const auto sent =
      matrix_.send_panel(rect, matrix_.numbers_of_panel(static_cast<std::int64_t>(steps_.size())));
  later_.finish();
  matrix_.start_after(*sent);  // and after the panel, which was sent before
  steps_.push_back(std::move(step));
  inverse_ = {};
}

void LuOnDevice::publish(Slot& slot, Interval panel) {
  const LapackProblem& p = matrix_.problem();
  const HostRect from = rows_of_slot(slot, panel, 0, p.m);
  const HostRect to = matrix_.on_host({panel.first, 0, panel.count, p.m});
  panel_ends_.push_back(panel.first + panel.count);
  copies_.publish(std::exchange(slot.top, {}).arrived, [this, rest = std::exchange(slot.rest, {}),
                                                        from, to](CopyThreads& threads) {
    matrix_.require_earlier(rest);
    threads.copy({to.data, to.pitch, from.data, from.pitch, from.rows, from.row_bytes});
  });
}

// Columns that are there by now, up to `needed` at least, get all steps but the last.
void LuOnDevice::take_arrived(std::int64_t needed) {
  const Interval come = parts_.take(needed);
  if (come.count == 0) return;
  for (std::size_t step = 0; step + 1 < steps_.size(); ++step) update(step, come);
}

void LuOnDevice::update(std::size_t number, Interval columns) {
  if (columns.count <= 0) return;
  const LapackProblem& p = matrix_.problem();
  const Step& step = steps_[number];
  const Interval& panel = step.panel;
  const std::int64_t end = panel.first + panel.count, c = columns.first;
  const BoundOperand numbers = matrix_.numbers_of_panel(static_cast<std::int64_t>(number));
  if (panels_) {
    matrix_.note(panels_->complete_rows(panel, columns.count, matrix_.at(c, 0),
                                        matrix_.at(panel.first, panel.first), numbers));
    return matrix_.multiply(product_of(p.precision, columns.count, p.m - end, panel.count, -1, 1),
                            matrix_.at(c, panel.first), matrix_.at(panel.first, end),
                            matrix_.at(c, end));
  }
  RowMoves moves;
  moves.width = step.width;
  moves.count = step.count;
  matrix_.note(submit_exchange(matrix_.device(), p.precision, columns.count, moves,
                               {matrix_.at(c, 0), matrix_.panel_scratch(c, 0), numbers.buffer.get(),
                                numbers.offset_bytes / sizeof(std::int32_t)}));
  const std::size_t element = element_size(p.precision);
  for (const auto& [l, size, is_ill_conditioned] : step.leaves) {
    const std::int64_t rest = panel.count - l - size;
    const BoundOperand inverse{numbers.buffer,
                               numbers.offset_bytes + numbers_.inverses_from +
                                   static_cast<std::size_t>(l * step.inverse_pitch) * element,
                               static_cast<std::size_t>(step.inverse_pitch) * element,
                               SharingMode::staged};
    const BoundOperand solved = matrix_.at(c, panel.first + l);
    matrix_.multiply(product_of(p.precision, columns.count, size, size, 1, 0),
                     matrix_.panel_scratch(c, l), inverse, solved);
    matrix_.multiply(product_of(p.precision, columns.count, rest, size, -1, 1), solved,
                     matrix_.at(panel.first + l, panel.first + l + size),
                     matrix_.panel_scratch(c, l + size));
  }
  matrix_.multiply(product_of(p.precision, columns.count, p.m - end, panel.count, -1, 1),
                   matrix_.at(c, panel.first), matrix_.at(panel.first, end), matrix_.at(c, end));
}

// Rows of the next panel first, for which the host waits.
void LuOnDevice::fetch(Interval next) {
  const LapackProblem& p = matrix_.problem();
  if (is_last_) {
    // These go to the caller's memory at once, so all kernels before them must have succeeded.
    copies_.wait_until_published(steps_.size());
    const DeviceArea area{next.first, 0, next.count, p.m};
    matrix_.fetch(area, matrix_.on_host(area), arrived_);
    return;
  }
  if (steps_.size() >= slots_.size())
    copies_.wait_until_published(steps_.size() + 1 - slots_.size());
  Slot& slot = slot_of(steps_.size());
  next_download_ = matrix_.start_download(matrix_.at(next.first, next.first),
                                          rows_of_slot(slot, next, next.first, p.m));
  slot.rest = next_download_;
  slot.top =
      matrix_.start_download(matrix_.at(next.first, 0), rows_of_slot(slot, next, 0, next.first));
}

// The panel by the device. It goes to the caller's memory with its pivots.
void LuOnDevice::factorise(Interval panel) {
  const LapackProblem& p = matrix_.problem();
  const auto number = static_cast<std::int64_t>(steps_.size());
  matrix_.note(panels_->factorise(number, panel, matrix_.at(panel.first, panel.first),
                                  matrix_.numbers_of_panel(number)));
  if (steps_.size() >= slots_.size())
    copies_.wait_until_published(steps_.size() + 1 - slots_.size());
  Slot& slot = slot_of(steps_.size());
  const std::size_t bytes = panels_->result_bytes();
  const auto pivots =
      matrix_.start_download(panels_->results(number), HostRect{slot.numbers, 1, bytes, bytes, 1});
  const HostRect from = rows_of_slot(slot, panel, 0, p.m);
  const auto columns = matrix_.start_download(matrix_.at(panel.first, 0), from);
  const HostRect to = matrix_.on_host({panel.first, 0, panel.count, p.m});
  panel_ends_.push_back(panel.first + panel.count);
  copies_.publish(columns.arrived, [=, this, numbers = slot.numbers](CopyThreads& threads) {
    matrix_.wait_for(pivots);
    matrix_.wait_for(columns);
    matrix_.require_earlier(pivots);
    matrix_.require_earlier(columns);
    const auto* const results = reinterpret_cast<const std::int32_t*>(numbers);
    panels_->require_complete(results);
    std::copy_n(results, panel.count, p.pivots + panel.first);
    with_element_type(p.precision, [&](auto zero) {
      const auto* a = static_cast<const decltype(zero)*>(from.data) + panel.first;
      for (std::int64_t j = 0; j < panel.count; ++j)
        if (info_ == 0 && a[j * (p.m + 1)] == zero) info_ = static_cast<int>(panel.first + j + 1);
    });
    threads.copy({to.data, to.pitch, from.data, from.pitch, from.rows, from.row_bytes});
  });
  steps_.push_back({panel, panel.count, panel.count, {}, 0});
}

void LuOnDevice::apply_own(Interval panel, Interval next) {
  const std::int64_t end = panel.first + panel.count;
  if (steps_.empty()) take_arrived(end);
  factorise(panel);
  take_arrived(next.first + next.count);
  update(steps_.size() - 1, {end, parts_.ready() - end});
  if (is_last_) fetch(next);
  matrix_.flush();
}

void LuOnDevice::apply(Interval panel, Interval next) {
  const LapackProblem& p = matrix_.problem();
  const std::int64_t end = next.first + next.count;
  is_last_ = end == p.n;
  if (panels_) return apply_own(panel, next);
  Slot& slot = slot_of(steps_.size());
  matrix_.send_panel(rows_of_slot(slot, panel, panel.first, p.m),
                     matrix_.at(panel.first, panel.first));
  publish(slot, panel);
  send_numbers(slot, panel);
  take_arrived(end);
  update(steps_.size() - 1, next);
  fetch(next);
  if (is_last_) return;
  later_.start([this, end] {
    take_arrived(0);
    update(steps_.size() - 1, {end, parts_.ready() - end});
    matrix_.flush();
  });
}

// The last columns are the caller's only when all panels are.
void LuOnDevice::wait_for_next() {
  if (!is_last_ && panels_) return;
  if (!is_last_) return matrix_.wait_for(next_download_);
  matrix_.wait_for_results();
}

void LuOnDevice::finish() {
  later_.finish();
  copies_.stop();
  matrix_.finish();
}

std::unique_ptr<FactorsOnDevice> LuOnDevice::solver(const LapackProblem& getrs) {
  const LapackProblem& p = matrix_.problem();
  const auto needs = device_bytes(getrs, kernel_, width_, matrix_.device().free_limits());
  if (!needs || p.m != p.n || !matrix_.make_more_room(*needs, needs->b + needs->c)) return nullptr;
  return std::make_unique<SolveOnDevice>(matrix_, getrs, kernel_, width_, panel_ends_.back());
}

std::int64_t LuOnDevice::abandon() noexcept {
  later_.stop();
  const std::size_t published = copies_.stop();
  matrix_.drain();
  if (published > 0) lines_done_ = panel_ends_[published - 1];
  return static_cast<std::int64_t>(arrived_);
}

std::unique_ptr<FactorsOnDevice> make_lu(const std::shared_ptr<OpenedDevice>& device,
                                         const LapackProblem& p, const KernelParams& kernel,
                                         std::int64_t width) {
  return std::make_unique<LuOnDevice>(device, p, kernel, width);
}

}  // namespace duoblas
