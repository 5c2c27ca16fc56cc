// The results of trials and checks of kernels, stored on disk, so that later processes need not try
// them again and do not use wrong ones.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace duoblas {

/// The verdict on one variant, for one device and driver. Times are seconds since 1970; 0: never.
struct VariantVerdict {
  std::string device, driver, kernel;  ///< for people
  std::int64_t verified_at = 0;        ///< the last trial that found nothing wrong
  std::int64_t failed_at = 0;
  int failures = 0;           ///< independent ones
  std::uint64_t checked = 0;  ///< results for programs that were checked and right
  std::string failure;        ///< the last one, in words
};

/// For how long a verdict counts.
inline constexpr std::int64_t verdict_seconds = std::int64_t{30} * 24 * 3600;

/// Whether the kernel may be used without a trial.
bool is_verified(const VariantVerdict& verdict, std::int64_t now);
/// Whether the kernel must not be used: two failures, the last of which still counts.
bool is_quarantined(const VariantVerdict& verdict, std::int64_t now);
/// Adds a failure; starts from zero if earlier ones do not count any more. Forgets a trial of a
/// time that is still to come, when the clock was wrong.
void add_failure(VariantVerdict& verdict, const std::string& failure, std::int64_t now);
/// Notes a trial that found nothing wrong, and forgets failures that do not count any more.
void add_success(VariantVerdict& verdict, std::int64_t now);

std::string to_text(const VariantVerdict& verdict);
/// Nothing if the text is no verdict.
std::optional<VariantVerdict> verdict_from(const std::string& text);

/// The files of verdicts. Their key names everything that can change a verdict (cache_file.hpp:
/// private, replaced atomically, checked when read). Thread-safe.
class VerdictFolder {
 public:
  explicit VerdictFolder(std::string path) : path_(std::move(path)) {}  ///< empty: keeps nothing

  bool keeps() const { return !path_.empty(); }
  std::optional<VariantVerdict> load(const std::string& key) const;
  /// Empty on success, else what went wrong.
  std::string store(const std::string& key, const VariantVerdict& verdict) const;
  /// All stored verdicts.
  std::vector<VariantVerdict> all() const;

 private:
  std::string path_;
};

/// The folder of verdicts in this folder of compiled kernels (Settings::cache_dir); empty: none.
std::string verdict_folder(const std::string& cache_dir);

}  // namespace duoblas
