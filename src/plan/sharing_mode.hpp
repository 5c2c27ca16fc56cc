// How the GPU reaches the caller's memory.
#pragma once

#include <optional>
#include <string_view>

namespace duoblas {

enum class SharingMode {
  host_pointer,  ///< the driver was verified to use the host's memory itself: no copy
  staged,        ///< operands are copied to the device and C is copied back
};

constexpr std::string_view name(SharingMode mode) {
  return mode == SharingMode::host_pointer ? "host_pointer" : "staged";
}

constexpr std::optional<SharingMode> sharing_mode_from(std::string_view text) {
  if (text == "host_pointer") return SharingMode::host_pointer;
  if (text == "staged") return SharingMode::staged;
  return std::nullopt;
}

}  // namespace duoblas
