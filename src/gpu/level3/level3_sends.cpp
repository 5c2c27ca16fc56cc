// What a level-3 job says before its first step, of uploads and of where results will go; and what
// it sends to the device: rectangles of the caller's matrices, and blocks on the diagonal that the
// host makes of them.
#include <algorithm>
#include <cstdint>
#include <memory>
#include <utility>
#include <variant>
#include <vector>

#include "gpu/level3/diagonal_blocks.hpp"
#include "gpu/level3/pipelined_level3.hpp"
#include "gpu/level3/triangle_leaves.hpp"
#include "memory/copy_threads.hpp"
#include "problem/rounding.hpp"

namespace duoblas {

Gaps PipelinedLevel3::gaps_beside(const DeviceRect& rect) {
  return rect.columns == stored(rect.at.matrix).columns ? Gaps::free : Gaps::untouched;
}

// What steps send through the ring straight from the caller's memory, in this order.
void PipelinedLevel3::expect_uploads() {
  if (by_columns_) return;
  queues_.operands.fill_ahead_from(CopyThreads::least_bytes_ahead_of_level3);
  for (const DeviceStep& step : program_)
    if (const auto* send = std::get_if<SendRect>(&step)) {
      if (const DeviceRect& rect = send->rect; !is_page_locked(rect.at.matrix))
        queues_.operands.expect(on_host(rect), bound(rect.at).pitch_bytes, gaps_beside(rect));
    } else if (const auto* triangle = std::get_if<SendTriangle>(&step)) {
      if (const DeviceRect& rect = triangle->rect; !is_page_locked(rect.at.matrix))
        queues_.operands.expect(on_host(rect), bound(rect.at).pitch_bytes, kind_of(*triangle));
    }
}

UploadKind PipelinedLevel3::kind_of(const SendTriangle& step) {
  UploadKind kind = gaps_beside(step.rect);
  const DevicePlace& at = step.rect.at;
  kind.triangle = TrianglePart{p_.uplo, p_.precision, at.row - at.column, p_.diag == Diag::unit};
  return kind;
}

void PipelinedLevel3::prefault_pages() {
  if (in_place_.c || operands_.locked_c) return;
  std::vector<HostRect> rects;
  for (const DeviceStep& step : program_)
    if (const auto* fetch = std::get_if<FetchRect>(&step)) {
      rects.push_back(on_host(fetch->rect));
    } else if (const auto* diagonal = std::get_if<FetchDiagonal>(&step)) {
      const Interval lines = diagonal->lines;
      rects.push_back(
          on_host({{Level3Matrix::c, lines.first, lines.first}, lines.count, lines.count}));
    }
  pages_ = prefault_of(std::move(rects));
}

void PipelinedLevel3::perform(const SendRect& step) {
  if (by_columns_) return place_apart(step.rect, true);
  const BoundOperand to = bound(step.rect.at);
  if (is_page_locked(step.rect.at.matrix)) {
    const HostRect rows = on_host(step.rect);
    sent_ = std::make_shared<cl::Event>(queues_.uploads.write_later(
        *to.buffer, rows.data,
        {rows.rows, rows.row_bytes, rows.pitch, to.pitch_bytes, to.offset_bytes}));
    queues_.operands.note(sent_);
    return;
  }
  UploadKind kind = gaps_beside(step.rect);
  kind.is_saved = step.is_saved;
  sent_ = queues_.operands.upload(on_host(step.rect), *to.buffer, to.offset_bytes, to.pitch_bytes,
                                  kind);
}

void PipelinedLevel3::perform(const SendTriangle& step) {
  if (is_page_locked(Level3Matrix::a)) {
    // A solve reads the stored part only, so the host need not make a block.
    if (p_.routine == Routine::trsm) return perform(SendRect{step.rect});
    if (step.beside.rows > 0 && step.beside.columns > 0) perform(SendRect{step.beside});
    return perform(SendDiagonal{Level3Matrix::a, step.lines});
  }
  const BoundOperand to = bound(step.rect.at);
  sent_ = queues_.operands.upload(on_host(step.rect), *to.buffer, to.offset_bytes, to.pitch_bytes,
                                  kind_of(step));
}

void PipelinedLevel3::send_block(const DenseBlock& block, const DeviceRect& rect) {
  const BoundOperand to = bound(rect.at);
  const HostRect from = rect_of(block.data(), rect.rows, rect.columns, rect.columns, p_.precision);
  sent_ =
      queues_.operands.upload(from, *to.buffer, to.offset_bytes, to.pitch_bytes, Gaps::untouched);
}

void PipelinedLevel3::perform(const SendDiagonal& step) {
  const Interval lines = step.lines;
  const bool of_c = step.matrix == Level3Matrix::c, in_place = is_in_place(step.matrix);
  DenseBlock& block = block_for(step.matrix);
  times_.blocks += seconds_of([&] {
    if (!of_c)
      complete_a(p_, lines, block, &queues_.copiers);
    else if (step.has_values)
      copy_triangle_of_c(p_, lines, block, &queues_.copiers);
    else
      block.resize(static_cast<std::size_t>(lines.count * lines.count) *
                   element_size(p_.precision));
  });
  if (!in_place)
    return send_block(block, {{step.matrix, lines.first, lines.first}, lines.count, lines.count});
  const DeviceRect rect{{Level3Matrix::diagonals, lines.first, 0}, lines.count, lines.count};
  use_own(without_gaps(block.data(), rect), rect,
          of_c ? cl::Access::read_write : cl::Access::read_only);
  queues_.device.memory.count_staged(block.size());
  // Blocks that the device writes there become C when they are stored.
  if (of_c)
    written_.overwrite(bound(rect.at), rect_of_block(block, lines),
                       step.has_values ? OldValues::read : OldValues::useless);
}

// As many leaves of these lines at a time as a block of the ring holds: `make` writes those of some
// lines, which come to rows of `inverses` so many further on.
template <typename Make>
void PipelinedLevel3::send_made_leaves(Interval lines, std::int64_t further, bool completes_last,
                                       const Make& make) {
  const std::int64_t leaf = sizes_.leaf;
  const std::size_t row_bytes = static_cast<std::size_t>(leaf) * element_size(p_.precision);
  const auto rows_of_block = static_cast<std::int64_t>(UploadRing::block_bytes / row_bytes);
  const std::int64_t most = rows_of_block / leaf * leaf, end = lines.first + lines.count;
  for (std::int64_t first = lines.first; first < end; first += most) {
    const Interval some{first, std::min(most, end - first)};
    const std::int64_t rows = completes_last ? round_up(some.count, leaf) : some.count;
    const BoundOperand to = bound({Level3Matrix::inverses, further + first, 0});
    sent_ = queues_.operands.upload_made(
        static_cast<std::size_t>(rows), row_bytes, *to.buffer, to.offset_bytes, to.pitch_bytes,
        [&](void* leaves) { times_.blocks += seconds_of([&] { make(some, leaves); }); });
  }
}

// The device inverts them while right-hand sides arrive.
void PipelinedLevel3::send_leaves() {
  const LeafRows rows = leaf_rows(p_, sizes_);
  const std::int64_t leaf = sizes_.leaf;
  std::vector<double> row_sums;
  send_made_leaves({0, order(p_)}, rows.leaves, true, [&](Interval some, void* leaves) {
    const auto sums = copy_leaves(p_, some, leaf, leaves, &queues_.copiers);
    row_sums.insert(row_sums.end(), sums.begin(), sums.end());
  });
  leaves_.invert(
      p_,
      {parts(order(p_), leaf), leaf, bound({Level3Matrix::inverses, rows.leaves, 0}),
       bound({Level3Matrix::inverses, 0, 0}), bound({Level3Matrix::inverses, rows.sums, 0})},
      row_sums, *sent_, launches_.before_next());
}

void PipelinedLevel3::perform(const SendInverses& step) {
  if (sizes_.inverts_leaves) return send_leaves();
  if (!in_place_.a)
    return send_made_leaves(step.lines, 0, false, [&](Interval some, void* inverses) {
      invert_solvable(p_, some, sizes_.leaf, inverses, &queues_.copiers);
    });
  DenseBlock& block = block_for(Level3Matrix::a);
  times_.blocks +=
      seconds_of([&] { invert_solvable(p_, step.lines, sizes_.leaf, block, &queues_.copiers); });
  const DeviceRect rect{
      {Level3Matrix::inverses, step.lines.first, 0}, step.lines.count, sizes_.leaf};
  use_own(without_gaps(block.data(), rect), rect, cl::Access::read_only);
  queues_.device.memory.count_staged(block.size());
}

}  // namespace duoblas
