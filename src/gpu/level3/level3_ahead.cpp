// What a level-3 job says before its first step: what it will upload, and where results will go.
#include <utility>
#include <variant>
#include <vector>

#include "gpu/level3/pipelined_level3.hpp"
#include "memory/copy_threads.hpp"

namespace duoblas {

Gaps PipelinedLevel3::gaps_beside(const DeviceRect& rect) {
  return rect.columns == stored(rect.at.matrix).columns ? Gaps::free : Gaps::kept;
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

}  // namespace duoblas
