#include "memory/rows_in_place.hpp"

#include <algorithm>
#include <cstring>
#include <span>

namespace duoblas {

RowsInPlace::RowsInPlace(const BoundOperand& window, const HostRect& rows, bool overwritten,
                         bool coherent)
    : window_(window), rows_(rows), overwritten_(overwritten), coherent_(coherent) {
  if (!coherent || rows.span() == 0) return;
  samples_count_ = std::min(rows.rows, most_samples);
  const std::size_t columns = rows.row_bytes / rows.element_bytes;
  for (std::size_t i = 0; i < samples_count_; ++i) {
    const std::size_t row = samples_count_ == 1 ? 0 : i * (rows.rows - 1) / (samples_count_ - 1);
    const std::size_t column = samples_count_ == 1 ? 0 : i * (columns - 1) / (samples_count_ - 1);
    Sample& sample = samples_[i];
    sample.at = static_cast<char*>(rows.data) + row * rows.pitch + column * rows.element_bytes;
    // The old values may equal those that the kernel will write, as in a repeated call.
    if (overwritten) turn_bits(sample);
    std::memcpy(sample.before.data(), sample.at, rows.element_bytes);
  }
}

void RowsInPlace::turn_bits(const Sample& sample) const {
  for (std::size_t byte = 0; byte < rows_.element_bytes; ++byte)
    sample.at[byte] = static_cast<char>(~sample.at[byte]);
}

void RowsInPlace::restore() noexcept {
  if (!overwritten_) return;
  for (const Sample& sample : std::span(samples_).first(samples_count_))
    if (!has_changed(sample)) turn_bits(sample);
}

bool RowsInPlace::has_changed(const Sample& sample) const {
  return std::memcmp(sample.before.data(), sample.at, rows_.element_bytes) != 0;
}

void RowsInPlace::expect(cl::Queue& queue) {
  if (coherent_ || rows_.span() == 0) return;
  shown_ = queue.show_to_host(*window_.buffer, window_.offset_bytes, rows_.span());
  queue.flush();
}

std::size_t RowsInPlace::arrive(cl::Queue& queue) {
  if (shown_) {
    queue.wait(*shown_);
    return 0;
  }
  const auto end = samples_.begin() + static_cast<std::ptrdiff_t>(samples_count_);
  if (std::all_of(samples_.begin(), end, [&](const Sample& s) { return has_changed(s); })) return 0;
  queue.read(*window_.buffer, rows_.data,
             {rows_.rows, rows_.row_bytes, rows_.pitch, window_.pitch_bytes, window_.offset_bytes});
  return rows_.rows * rows_.row_bytes;
}

}  // namespace duoblas
