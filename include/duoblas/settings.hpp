// The settings of a Context: a plain value, filled by the program or from the environment.
#ifndef DUOBLAS_SETTINGS_HPP
#define DUOBLAS_SETTINGS_HPP

#include <cstddef>
#include <optional>
#include <string>

#include <duoblas/export.hpp>
#include <duoblas/types.hpp>

namespace duoblas {

/// This process's place among those of one job that run on this host, as mpirun, srun or torchrun
/// counted them, or DUOBLAS_DEVICE=rank:NUMBER/ON_HOST.
struct Rank {
  int number = 0;   ///< on this host, from 0
  int on_host = 1;  ///< so many of the job run here
  int in_job = 1;   ///< on all hosts; a number of 2 may stand for any that is not told
  std::string job;  ///< the same text in every process of the job, and in no other job's

  bool is_of_many() const { return in_job > 1; }
};

/// All settings. The default-constructed value is that of an empty environment, except that the
/// directories are empty (nothing is read or stored).
struct Settings {
  Strategy strategy = Strategy::automatic;  ///< DUOBLAS_STRATEGY
  std::optional<Share> split;               ///< DUOBLAS_SPLIT: where both work; see forces_split
  MathMode math = MathMode::exact;          ///< DUOBLAS_MATH: exact or tf32x3
  Fp64Mode fp64 = Fp64Mode::automatic;      ///< DUOBLAS_FP64: auto, native or integers
  CheckMode check = CheckMode::sampled;     ///< DUOBLAS_CHECK: off, sampled or always
  std::string device;                       ///< DUOBLAS_DEVICE: index, part of a name, or "none"
  Rank rank;                                ///< of several devices that fit, it has its own
  std::string profile_dir;                  ///< DUOBLAS_PROFILE_DIR, else $XDG_CONFIG_HOME/duoblas
  std::string cache_dir;                    ///< DUOBLAS_CACHE_DIR, else $XDG_CACHE_HOME/duoblas
  std::string kernel_dir;                   ///< DUOBLAS_KERNEL_DIR: kernels read from files
  std::string cpu_blas;                     ///< DUOBLAS_CPU_BLAS: path of the CPU BLAS library
  std::string cpu_cores;                    ///< DUOBLAS_CPU_CORES, e.g. "0-3,8"
  int cpu_threads = 0;   ///< upper bound from OMP_NUM_THREADS and OPENBLAS_NUM_THREADS; 0: none
  bool standin = false;  ///< DUOBLAS_STANDIN: PoCL on half the cores stands in for a GPU
  /// DUOBLAS_ADAPT: the times of calls change the shares of later calls, and who computes them;
  /// never if a split is given, nor by default for one of several ranks
  bool adapt = true;
  /// DUOBLAS_START_MS: the drop-in BLAS starts the device once a program's large calls have taken
  /// so many milliseconds; 0: at the first one; nothing: once that is expected to pay
  std::optional<int> start_ms;
  /// DUOBLAS_SUMMARY: at a program's end the drop-in BLAS prints who computed its calls: 1, in one
  /// table for all ranks of a host; `rank`, in one for each
  bool summary = false;
  bool summary_by_rank = false;
  /// DUOBLAS_HISTORY: on or off; whether the drop-in BLAS keeps for later runs of a program what
  /// this one would have gained by the device
  bool history = true;
  /// DUOBLAS_DEVICE_MEMORY: bytes of device memory that a product may use; larger products are
  /// streamed. 0: four fifths of the memory, which is also the maximum
  std::size_t device_memory = 0;
  /// DUOBLAS_LAUNCH_MS: milliseconds that one kernel launch may take; 0: no limit; nothing: a limit
  /// that suits the device (100 if it may drive a display)
  std::optional<int> launch_ms;
  /// DUOBLAS_GPU_DEADLINE: a GPU that does not answer for so many seconds plus 20 times the work's
  /// estimate counts as hanging; 0: no deadline; nothing: 30, and 0 for a CPU device, since polling
  /// it takes the cores that do its work
  std::optional<int> gpu_deadline;
  int verbose = 0;  ///< DUOBLAS_VERBOSE: 0 silent, 1 decisions once, 2 a line per call

  /// Reads the environment of this process. \throws SettingError naming the variable, its value
  /// and what is accepted.
  DUOBLAS_API static Settings from_environment();

  /// Hybrid with a given split is used at every size, however small. Conformance suites need that.
  bool forces_split() const { return strategy == Strategy::hybrid && split.has_value(); }
  /// Ranks of one job may compute the same number twice, and must get the same bits. So neither
  /// what calls took decides about one, nor how soon the device, or a kernel, is ready for it.
  bool fixes_plans() const { return rank.is_of_many() && !adapt; }
};

}  // namespace duoblas

#endif
