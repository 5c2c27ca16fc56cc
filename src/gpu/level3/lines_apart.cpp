#include "gpu/level3/lines_apart.hpp"

#include <variant>

namespace duoblas {

std::size_t bytes_apart(const std::vector<DeviceStep>& program, Precision precision) {
  std::size_t bytes = 0;
  const auto add = [&](const DeviceRect& rect) {
    const std::size_t row_bytes = static_cast<std::size_t>(rect.columns) * element_size(precision);
    bytes += in_whole_pages(static_cast<std::size_t>(rect.rows) * pitch_apart(row_bytes));
  };
  for (const DeviceStep& step : program)
    if (const auto* sent = std::get_if<SendRect>(&step))
      add(sent->rect);
    else if (const auto* results = std::get_if<OverwriteRect>(&step))
      add(results->rect);
  return bytes;
}

}  // namespace duoblas
