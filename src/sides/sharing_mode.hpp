// How the GPU reaches the caller's memory.
#pragma once

#include <optional>
#include <string_view>

namespace duoblas {

enum class SharingMode {
  host_pointer,  ///< the driver was verified to use the host's memory itself: no copy
  staged,        ///< operands are copied to the device and C is copied back
  /// The same, but operands in registered memory need no copies on the host. Decided per call; no
  /// mode of a device or profile.
  pinned,
};

/// Whether the device works on copies of the operands.
constexpr bool copies(SharingMode mode) {
  return mode != SharingMode::host_pointer;
}

constexpr std::string_view name(SharingMode mode) {
  switch (mode) {
    case SharingMode::host_pointer: return "host_pointer";
    case SharingMode::staged: return "staged";
    case SharingMode::pinned: return "pinned";
  }
  return "staged";
}

/// The modes that are stored: host_pointer and staged.
constexpr std::optional<SharingMode> sharing_mode_from(std::string_view text) {
  if (text == "host_pointer") return SharingMode::host_pointer;
  if (text == "staged") return SharingMode::staged;
  return std::nullopt;
}

}  // namespace duoblas
