// Decides which kernels may be used: each variant is tried before its first use, and the result is
// stored for later processes.
#pragma once

#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <vector>

#include "gpu/kernels/gpu_options.hpp"
#include "gpu/kernels/kernel_verdicts.hpp"
#include "opencl/device.hpp"

namespace duoblas {

/// A kernel that is not used any more, because its results are wrong.
struct WrongKernel {
  std::string text;
  bool is_news = false;  ///< found in this process, not by an earlier one
};

/// Identifies the program that a verdict is about, by everything that is compiled.
struct KernelIdentity {
  std::string name;  ///< for people
  std::string options, source;
};

/// Thread-safe.
class KernelVerifier {
 public:
  /// Returns what is wrong; empty: nothing. The second trial of a variant is independent of the
  /// first: it uses other numbers, and a program that was compiled again.
  using Trial = std::function<std::string(std::uint64_t seed, bool again)>;

  using Clock = std::int64_t (*)();  ///< seconds since 1970

  KernelVerifier(const cl::Device& device, Verification wanted, Clock clock = system_seconds);

  /// Why the program must not even be built; empty: it may.
  std::string quarantine(const KernelIdentity& program);
  /// Where a program's verdict is: everything that can change the driver's output for it.
  std::string key_of(const KernelIdentity& program) const;
  /// Whether verify() would try the program of this key.
  bool needs_trial(const std::string& key) const;
  /// Tries the program, unless it is known to be right (and `anyway` is false). Returns why it must
  /// not be used; empty: it is right.
  std::string verify(const KernelIdentity& program, const Trial& trial, bool anyway = false);
  /// It may have computed a wrong result.
  void reject(const KernelIdentity& program, const std::string& failure);
  /// Whether verdicts are stored on disk.
  bool keeps() const { return folder_.keeps(); }
  /// Counts results that were checked and right.
  void add_checked(const KernelIdentity& program, std::uint64_t results);

  /// The kernels that were found wrong since the last call of this.
  std::vector<WrongKernel> take_wrong();
  /// Trials that were made in this process.
  std::uint64_t trials() const;
  /// Why verdicts are not stored on disk, as far as that was tried; empty if they are.
  std::string problem() const;
  /// All verdicts on this device's kernels, from all processes.
  std::vector<VariantVerdict> known() const;

  static std::int64_t system_seconds();

 private:
  VariantVerdict load(const KernelIdentity& program, const std::string& key) const;
  /// Changes the verdict that is on disk now, whichever process wrote it.
  VariantVerdict change(const KernelIdentity& program,
                        const std::function<void(VariantVerdict&)>& change);
  VariantVerdict fail(const KernelIdentity& program, const std::string& failure);
  void note_wrong(std::string text, bool is_news);

  const cl::DeviceInfo device_;
  const std::string driver_, environment_;
  const VerdictFolder folder_;
  const Clock clock_;
  std::mutex files_;          ///< guards changes on disk
  mutable std::mutex mutex_;  ///< guards the members below
  std::vector<WrongKernel> wrong_;
  std::uint64_t trials_ = 0;
  std::string problem_;
};

}  // namespace duoblas
