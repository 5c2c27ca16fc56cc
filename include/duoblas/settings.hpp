// How a Context behaves: a plain value, filled by the program or from the environment.
#ifndef DUOBLAS_SETTINGS_HPP
#define DUOBLAS_SETTINGS_HPP

#include <cstddef>
#include <optional>
#include <string>

#include <duoblas/export.hpp>
#include <duoblas/types.hpp>

namespace duoblas {

/// Everything that can be set from outside. The default-constructed value is what an empty
/// environment gives, except that the directories are empty (nothing is read or stored).
struct Settings {
  Strategy strategy = Strategy::automatic;  ///< DUOBLAS_STRATEGY
  std::optional<Share> split;               ///< DUOBLAS_SPLIT: overrides the plan's share
  MathMode math = MathMode::exact;          ///< DUOBLAS_MATH: exact or tf32x3
  CheckMode check = CheckMode::sampled;     ///< DUOBLAS_CHECK: off, sampled or always
  std::string device;                       ///< DUOBLAS_DEVICE: index, part of a name, or "none"
  std::string profile_dir;                  ///< DUOBLAS_PROFILE_DIR, else $XDG_CONFIG_HOME/duoblas
  std::string cache_dir;                    ///< DUOBLAS_CACHE_DIR, else $XDG_CACHE_HOME/duoblas
  std::string kernel_dir;                   ///< DUOBLAS_KERNEL_DIR: kernels read from files
  std::string cpu_blas;                     ///< DUOBLAS_CPU_BLAS: path of the CPU BLAS library
  std::string cpu_cores;                    ///< DUOBLAS_CPU_CORES, e.g. "0-3,8"
  int cpu_threads = 0;   ///< upper bound from OMP_NUM_THREADS and OPENBLAS_NUM_THREADS; 0: none
  bool standin = false;  ///< DUOBLAS_STANDIN: PoCL on half the cores stands in for a GPU
  /// DUOBLAS_ADAPT: what calls take moves later ones' shares and decides who computes them; never
  /// where a split is given
  bool adapt = true;
  /// DUOBLAS_START_MS: milliseconds that a program's large calls must have taken before the drop-in
  /// BLAS starts the device for them; 0: it does so at the first; nothing: 1000
  std::optional<int> start_ms;
  /// DUOBLAS_SUMMARY: the drop-in BLAS prints at a program's end what became of its calls
  bool summary = false;
  /// DUOBLAS_DEVICE_MEMORY: bytes of the device that a product may use, more is streamed; 0: four
  /// fifths of what there is, which is also the most
  std::size_t device_memory = 0;
  /// DUOBLAS_LAUNCH_MS: milliseconds that one kernel launch may take; 0: any; nothing: as suits the
  /// device (100 where it may drive a display)
  std::optional<int> launch_ms;
  /// DUOBLAS_GPU_DEADLINE: seconds, beside 20 times the work's estimate, after which a GPU that
  /// does not answer is taken to hang; 0: it is waited for; nothing: 30, and 0 for a CPU
  /// device, since looking after it takes the cores that do its work
  std::optional<int> gpu_deadline;
  int verbose = 0;  ///< DUOBLAS_VERBOSE: 0 silent, 1 decisions once, 2 a line per call

  /// Reads the environment of this process. \throws SettingError naming the variable, its value
  /// and what is accepted.
  DUOBLAS_API static Settings from_environment();

  /// Hybrid with a given split is used at every size, however small: conformance suites need it.
  bool forces_split() const { return strategy == Strategy::hybrid && split.has_value(); }
};

}  // namespace duoblas

#endif
