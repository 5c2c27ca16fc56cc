// What tuning found out on one machine: parameters and times, never code.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "plan/cpu_config.hpp"
#include "plan/kernel_params.hpp"
#include "plan/sharing_mode.hpp"
#include "problem/cut.hpp"

namespace duoblas {

/// Which machine a profile is for. All four must match for it to be used by itself.
struct ProfileKey {
  std::string device;  ///< OpenCL device name
  std::string driver;  ///< driver version
  std::string cpu;     ///< processor model and number of allowed cores
  bool standin = false;
  friend bool operator==(const ProfileKey&, const ProfileKey&) = default;
};

/// A kernel with a split, and what the whole call took with it.
struct TunedChoice {
  KernelParams kernel;
  SharingMode sharing = SharingMode::staged;
  Share share;
  double seconds = 0;  ///< median whole-call time, with both sides running
};

/// One shape, tuned.
struct TunedPoint {
  Precision precision = Precision::s;
  Op op_a = Op::none;  ///< as in the row-major problem
  Op op_b = Op::none;
  std::int64_t m = 0, n = 0, k = 0;
  TunedChoice hybrid;          ///< co-tuned: kernel and split together
  TunedChoice simple;          ///< the kernel that is best alone, then the split
  TunedChoice gpu;             ///< that kernel, the whole of C
  double cpu_seconds = 0;      ///< CPU-only on the CPU side's cores
  double cpu_all_seconds = 0;  ///< CPU-only on all cores (= cpu_seconds unless stand-in)
  /// What each side took within the co-tuned whole call; 0: not measured.
  double gpu_side_seconds = 0;
  double cpu_side_seconds = 0;
  double noise = 0;  ///< relative spread of the whole call's timings; 0: not measured
};

struct Profile {
  static constexpr int current_version = 3;
  ProfileKey key;
  /// Of the hybrid's CPU side. The configurations' `library` is never stored: a file must not be
  /// able to name code that is then loaded.
  CpuConfig cpu;
  CpuConfig cpu_all;  ///< of the CPU-only baseline
  std::vector<TunedPoint> points;
  /// Below this many flops the CPU alone wins, per precision s, d, c, z; 0: not measured.
  double crossover_flops[4] = {0, 0, 0, 0};
  std::string created;  ///< ISO date and time, UTC
};

/// The place of a precision in Profile::crossover_flops.
constexpr std::size_t crossover_index(Precision precision) {
  switch (precision) {
    case Precision::s: return 0;
    case Precision::d: return 1;
    case Precision::c: return 2;
    case Precision::z: return 3;
  }
  return 0;
}

/// What is known after tuning again: `newer`, and those points and crossovers of `older` that it
/// does not tune anew. A point is the same where precision, ops and shape are.
Profile merged(const Profile& older, const Profile& newer);

/// The file's name for a key, free of characters that a file system minds.
std::string profile_file_name(const ProfileKey& key);

std::string to_json(const Profile& profile);
/// \throws SettingError that names the file-independent reason: not JSON, unknown version, a
/// missing or illegal field (every kernel must hold all rules that need no device).
Profile profile_from_json(const std::string& text);

/// The text of a profile's file; nothing where there is none. \throws SettingError where it cannot
/// be read, is no regular file or is over 4 MiB.
std::optional<std::string> read_profile_file(const std::string& path);

/// Reads directory/profile_file_name(key). Nothing: no such file, or a problem, which `problem`
/// (when given) then describes. Never throws.
std::optional<Profile> load_profile(const std::string& directory, const ProfileKey& key,
                                    std::string* problem = nullptr);
/// Makes the directory where needed and tries whether it can be written, so that a tuning is not
/// lost at its end. \throws SettingError.
void prepare_profile_directory(const std::string& directory);

/// Writes atomically (temporary file, fsync, rename), making directories where needed (only their
/// owner may enter); returns the path. `owner` (user, group): who is to own the file and the
/// directories made, for a program that runs under sudo. \throws SettingError.
std::string store_profile(const std::string& directory, const Profile& profile,
                          std::optional<std::pair<unsigned, unsigned>> owner = std::nullopt);

}  // namespace duoblas
