// What tuning found on one machine: parameters and times, never code.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "kernel_space/built_in_kernels.hpp"
#include "kernel_space/device_limits.hpp"
#include "kernel_space/kernel_params.hpp"
#include "problem/partition.hpp"
#include "profile/memory_rates.hpp"
#include "profile/profile_directory.hpp"
#include "profile/profile_origin.hpp"
#include "profile/tuned_gemv.hpp"
#include "profile/tuning_goal.hpp"
#include "sides/cpu_config.hpp"
#include "sides/sharing_mode.hpp"

namespace duoblas {

class ProfileLock;

/// The machine that a profile is for. All must match before it is used without asking.
struct ProfileKey {
  std::string device;  ///< OpenCL device name
  std::string driver;  ///< driver version
  std::string cpu;     ///< processor model and number of allowed cores
  bool standin = false;
  /// Doubles by integers have a profile of their own, with nothing else in it.
  Arithmetic arithmetic = Arithmetic::native;
  friend bool operator==(const ProfileKey&, const ProfileKey&) = default;
};

/// A kernel with a split, and the time of the whole call with both.
struct TunedChoice {
  KernelParams kernel;
  SharingMode sharing = SharingMode::staged;
  Share share;
  double seconds = 0;  ///< median whole-call time, with both sides running
  double joules = 0;   ///< of the whole call; 0: not measured
};

/// Uses of which a tuning finds kernels of their own, beside those of whole calls.
inline constexpr KernelUse tuned_uses[] = {KernelUse::resident, KernelUse::update};
/// Steps of k of the updates that are tuned, as of a factorisation's panels; fewer if k is less.
inline constexpr std::int64_t steps_of_tuned_update = 128;

struct KernelOfUse {
  KernelParams kernel;
  double seconds = 0;  ///< with all operands in the device's memory
};

/// One shape, tuned.
struct TunedPoint {
  Precision precision = Precision::s;
  Op op_a = Op::none;  ///< as in the row-major problem
  Op op_b = Op::none;
  std::int64_t m = 0, n = 0, k = 0;
  TunedChoice hybrid;  ///< co-tuned: kernel and split together
  /// The kernel that is fastest on the GPU alone, and then the best split for it.
  TunedChoice simple;
  TunedChoice gpu;  ///< that kernel for the whole of C
  /// By use; of tuned_uses. A use without one was not tuned: it has the kernel of whole calls, or
  /// what is built in for it (planner/planner.hpp).
  std::map<KernelUse, KernelOfUse> uses;
  double cpu_seconds = 0;      ///< CPU-only on the CPU side's cores
  double cpu_all_seconds = 0;  ///< CPU-only on all cores (= cpu_seconds unless stand-in)
  /// Median seconds that each side took within the co-tuned whole call; 0: not measured.
  double gpu_side_seconds = 0;
  double cpu_side_seconds = 0;
  /// Interquartile range of the co-tuned whole call in the last final comparison, over its median.
  double noise = 0;
  /// What was minimised, and the domains that the joules cover: "package + gpu". Empty without
  /// joules.
  Goal goal = Goal::throughput;
  std::string joules_of;
  double cpu_joules = 0;  ///< of CPU-only, as cpu_seconds
  double cpu_all_joules = 0;
};

/// How steady the machine was while it was tuned. 0: not known.
struct Steadiness {
  /// The first point's time on that side alone at the end, over what it was when it was tuned.
  double cpu = 0, gpu = 0;
  double least_mhz = 0, most_mhz = 0;  ///< the processor's clock under load
  friend bool operator==(const Steadiness&, const Steadiness&) = default;
};

/// The cost of adding to C, as factorisations do; points are tuned with beta == 0. Seconds of one
/// product with a C of `c_bytes` and few steps, with beta == 0 (writes) and beta == 1 (adds), by
/// the CPU BLAS on every core and by the GPU alone. 0: not measured.
struct UpdateTimes {
  double c_bytes = 0;
  double cpu_writes = 0, cpu_adds = 0, gpu_writes = 0, gpu_adds = 0;
  friend bool operator==(const UpdateTimes&, const UpdateTimes&) = default;
};

struct Profile {
  static constexpr int current_version = 11;
  /// The oldest version that is read. Files of version 4 have no energy yet; of 5 no steadiness; of
  /// 6 no updates; of 7 no memory rates and no gemv; of 9 no kernels by use; of 10 no doubt. Those
  /// of 9 to 11 may have kernels of ger, axpy and omatcopy, which are not read.
  static constexpr int oldest_version = 4;
  static constexpr std::size_t longest_note = 400;  ///< bytes
  ProfileKey key;
  ProfileOrigin origin;  ///< describes the device, for other machines
  /// For the CPU side of hybrid calls. The configurations' `library` is never stored: a file must
  /// not be able to name code that is then loaded.
  CpuConfigs cpu;
  CpuConfigs cpu_all;  ///< of the CPU-only baseline
  std::vector<TunedPoint> points;
  /// Below this many flops the CPU alone is faster, at precision_index(); 0: not measured.
  double crossover_flops[precision_count] = {0, 0, 0, 0};
  UpdateTimes updates[precision_count];  ///< likewise
  std::string created;                   ///< ISO date and time, UTC
  Steadiness steadiness;
  MemoryRates memory;
  TunedGemvs gemv;
  std::string note;  ///< where the machine was too noisy to decide; longest_note at most
  /// Why its plans may not be the best: the machine had other work, or they lost to their
  /// neighbours at the end. Empty: no doubt. As long as a note at most. A doubtful profile is used,
  /// and tuned anew by the next tuning.
  std::string doubt;
};

/// The profile after tuning again: all of `newer`, and from `older` its other points, its other
/// crossovers, the CPU configurations of element types that have points only there, and its note if
/// points of it stay. Points are the same if precision, ops and shape are equal.
Profile merged(const Profile& older, const Profile& newer);

/// The file's name for a key, without characters that file systems do not allow.
std::string profile_file_name(const ProfileKey& key);

/// The largest file that is read: far larger than any tuning writes, far smaller than what would
/// hurt.
inline constexpr std::size_t longest_profile_file = std::size_t{4} << 20;

std::string to_json(const Profile& profile);
/// \throws SettingError that gives the reason without the file's name: not JSON, unknown version, a
/// missing or illegal field (every kernel must obey all rules that need no device).
Profile profile_from_json(const std::string& text);

/// The text of a profile's file; nothing if there is none. \throws SettingError if it cannot be
/// read, is no regular file or is larger than 4 MiB.
std::optional<std::string> read_profile_file(const std::string& path);

/// Reads directory/profile_file_name(key). Nothing: there is no such file, or it has a problem,
/// which is stored in `problem` if given. Never throws.
std::optional<Profile> load_profile(const std::string& directory, const ProfileKey& key,
                                    std::string* problem = nullptr);

/// Writes atomically (temporary file, fsync, rename) under this lock, which is that of the
/// profile's key; returns the path. \throws SettingError.
std::string store_profile(const ProfileLock& lock, const Profile& profile,
                          const FileOwner& owner = std::nullopt);

/// The same, taking the lock: \throws SettingError also where a tuning of this machine holds it.
/// Makes directories where needed.
std::string store_profile(const std::string& directory, const Profile& profile,
                          const FileOwner& owner = std::nullopt);

/// Writes any text as a profile's file, as durably. \throws SettingError.
void replace_profile_file(const std::string& path, const std::string& text,
                          const FileOwner& owner = std::nullopt);

}  // namespace duoblas
