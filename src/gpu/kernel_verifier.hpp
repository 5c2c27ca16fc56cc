// Which kernels may be used: each variant is tried before its first use, and what was seen of it is
// remembered for later processes.
#pragma once

#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <vector>

#include "gpu/gpu_options.hpp"
#include "gpu/kernel_source.hpp"
#include "gpu/kernel_verdicts.hpp"
#include "opencl/device.hpp"

namespace duoblas {

/// A kernel that is not used, since what it computes is wrong.
struct WrongKernel {
  std::string text;
  bool is_news = false;  ///< found in this process, and not by an earlier one
};

/// What verdicts are of: a program, by all that is compiled.
struct KernelIdentity {
  std::string name;  ///< for people
  std::string options, source;
};

/// Thread-safe.
class KernelVerifier {
 public:
  /// What a trial showed to be wrong; empty: nothing. The second one of a variant is independent:
  /// of other numbers, and of a program that was compiled again.
  using Trial = std::function<std::string(std::uint64_t seed, bool again)>;

  using Clock = std::int64_t (*)();  ///< seconds since 1970

  /// `kernel_dir` as KernelCache's.
  KernelVerifier(const cl::Device& device, Verification wanted, std::string kernel_dir,
                 Clock clock = system_seconds);

  /// Why the variant is not even to be built; empty: it may be. \throws DeviceError where a file
  /// of its source cannot be read.
  std::string quarantine(const KernelVariant& variant);
  std::string quarantine(const KernelIdentity& program);
  /// Whether verify() would have it tried. \throws DeviceError likewise.
  bool needs_trial(const KernelVariant& variant) const;
  bool needs_trial(const KernelIdentity& program) const;
  /// Has it tried, unless it is known to be right (and `anyway` is not given). Why it is not to be
  /// used; empty: it is right.
  std::string verify(const KernelVariant& variant, const Trial& trial, bool anyway = false);
  std::string verify(const KernelIdentity& program, const Trial& trial, bool anyway = false);
  /// It computed something else for a program, or one of these did.
  void convict(const std::vector<KernelVariant>& variants, const std::string& failure) noexcept;
  void convict(const KernelIdentity& program, const std::string& failure) noexcept;
  /// Results that were checked and right.
  void add_checked(const KernelVariant& variant, std::uint64_t results) noexcept;

  /// Kernels that were found wrong since this was last asked for.
  std::vector<WrongKernel> take_wrong();
  /// Trials that were made in this process.
  std::uint64_t trials() const;
  /// Why verdicts are not kept on disk, as far as that was tried; empty where they are.
  std::string problem() const;
  /// Of this device, in all processes.
  std::vector<VariantVerdict> known() const;

  static std::int64_t system_seconds();

 private:
  KernelIdentity identity_of(const KernelVariant& variant) const;
  std::string key_of(const KernelIdentity& program) const;
  VariantVerdict load(const KernelIdentity& program, const std::string& key) const;
  /// Changes what is on disk now, which is what this process or another one left last.
  VariantVerdict change(const KernelIdentity& program,
                        const std::function<void(VariantVerdict&)>& change);
  VariantVerdict fail(const KernelIdentity& program, const std::string& failure);
  void note_wrong(std::string text, bool is_news);

  const cl::DeviceInfo device_;
  const std::string driver_, environment_, kernel_dir_;
  const VerdictFolder folder_;
  const Clock clock_;
  std::mutex files_;          ///< of what is changed on disk
  mutable std::mutex mutex_;  ///< of what follows
  std::vector<WrongKernel> wrong_;
  std::uint64_t trials_ = 0;
  std::string problem_;
};

}  // namespace duoblas
