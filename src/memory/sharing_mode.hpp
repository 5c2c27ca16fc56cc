// How the GPU reaches the caller's memory.
#pragma once

#include <optional>
#include <string_view>

namespace duoblas {

enum class SharingMode {
  host_pointer,  ///< the driver was verified to use the host's memory itself: no copy
  staged,        ///< operands are copied to the device and C is copied back
  /// The same, but what lies in registered memory goes without copies on the host. Decided per
  /// call: neither a device's nor a profile's mode.
  pinned,
};

/// Whether the device has operands of its own, made from the caller's.
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

/// What is stored: host_pointer or staged.
constexpr std::optional<SharingMode> sharing_mode_from(std::string_view text) {
  if (text == "host_pointer") return SharingMode::host_pointer;
  if (text == "staged") return SharingMode::staged;
  return std::nullopt;
}

}  // namespace duoblas
