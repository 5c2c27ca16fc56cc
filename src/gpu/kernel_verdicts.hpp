// What trials and checks showed of kernels, kept on disk, so that a second process need not try
// them again and does not use those that were wrong.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace duoblas {

/// Of one variant on one device and driver. Times are seconds since 1970; 0: never.
struct VariantVerdict {
  std::string device, driver, kernel;  ///< for people
  std::int64_t verified_at = 0;        ///< the last trial that found nothing wrong
  std::int64_t failed_at = 0;
  int failures = 0;           ///< independent ones
  std::uint64_t checked = 0;  ///< results for programs that were checked and right
  std::string failure;        ///< the last one, in words
};

/// How long what was seen counts.
inline constexpr std::int64_t verdict_seconds = std::int64_t{30} * 24 * 3600;

/// Whether it may be used without a trial.
bool is_verified(const VariantVerdict& verdict, std::int64_t now);
/// Whether it is not to be used: two failures, of which the last one still counts.
bool is_quarantined(const VariantVerdict& verdict, std::int64_t now);
/// Adds a failure, from scratch where earlier ones do not count any more.
void add_failure(VariantVerdict& verdict, const std::string& failure, std::int64_t now);

std::string to_text(const VariantVerdict& verdict);
/// Nothing: it is no verdict.
std::optional<VariantVerdict> verdict_from(const std::string& text);

/// The files, found by a key that names all that decides (cache_file.hpp: private, replaced
/// atomically, checked when they are read). Thread-safe.
class VerdictFolder {
 public:
  explicit VerdictFolder(std::string path) : path_(std::move(path)) {}  ///< empty: keeps nothing

  bool keeps() const { return !path_.empty(); }
  std::optional<VariantVerdict> load(const std::string& key) const;
  /// Empty on success, else what went wrong.
  std::string store(const std::string& key, const VariantVerdict& verdict) const;
  /// Every one that is there.
  std::vector<VariantVerdict> all() const;

 private:
  std::string path_;
};

/// Of kernels in this folder of compiled ones (Settings::cache_dir); empty: nowhere.
std::string verdict_folder(const std::string& cache_dir);

}  // namespace duoblas
