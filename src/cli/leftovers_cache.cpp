// What is of no use any more in DUOBLAS_CACHE_DIR.
#include <algorithm>
#include <chrono>
#include <ctime>
#include <filesystem>
#include <functional>
#include <sstream>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "cli/leftovers.hpp"
#include "engine/last_device.hpp"
#include "engine/learned_file.hpp"
#include "gpu/kernels/kernel_verdicts.hpp"
#include "opencl/cache_file.hpp"
#include "problem/blas_call.h"
#include "profile/profile_match.hpp"

namespace duoblas::cli {
namespace {

using Judge = std::function<std::string(const cl::CacheFile&)>;

std::time_t now() {
  return std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
}

// Keys of compiled kernels and of verdicts: fields that each end in a zero byte.
std::vector<std::string> fields_of(std::string_view key, std::size_t most) {
  std::vector<std::string> fields;
  while (!key.empty() && fields.size() < most) {
    const std::string_view field = key.substr(0, key.find('\0'));
    fields.emplace_back(field);
    key.remove_prefix(std::min(field.size() + 1, key.size()));
  }
  return fields;
}

// The fields from `first` on are platform, name, driver's version, device's version and the
// driver's build.
std::string why_not_compiled_here(const std::vector<PresentDevice>& present,
                                  const std::vector<std::string>& fields, std::size_t first) {
  constexpr std::size_t wanted = 5;
  if (fields.size() < first + wanted) return "of another version of DuoBLAS";
  const std::string* const field = fields.data() + first;
  if (std::string why = why_not_here(present, field[1], field[0] + ' ' + field[2]); !why.empty())
    return why;
  const bool same_build = std::ranges::any_of(present, [&](const PresentDevice& device) {
    return device.name == field[1] && device.device_version == field[3] &&
           (field[4].empty() || device.build == field[4]);
  });
  return same_build ? "" : "of another build of the driver";
}

std::string why_not_verdict(const std::vector<PresentDevice>& present, const cl::CacheFile& file) {
  const auto verdict = verdict_from(std::string(file.content.begin(), file.content.end()));
  if (!verdict) return "of another version of DuoBLAS";
  constexpr std::size_t after_the_trials_version = 1;
  if (std::string why =
          why_not_compiled_here(present, fields_of(file.key, 6), after_the_trials_version);
      !why.empty())
    return why;
  const bool counts = std::max(verdict->verified_at, verdict->failed_at) + verdict_seconds > now();
  return counts ? "" : "too old to count";
}

std::string why_not_learned(const std::vector<PresentDevice>& present,
                            const std::vector<std::string>& profiles, const cl::CacheFile& file) {
  const auto key = learned_key_from(file.key);
  if (!key || key->version != learned_version()) return "of another version of DuoBLAS";
  if (std::string why = why_not_here(present, key->device, key->driver); !why.empty()) return why;
  std::istringstream names(key->profile);
  for (std::string name; names >> name;)
    if (std::ranges::find(profiles, name) == profiles.end())
      return "of a profile that is not there any more";
  return "";
}

// How keys name profiles: each one that may be used, and none.
std::vector<std::string> profile_hashes(const std::string& profile_dir) {
  std::vector<std::string> hashes = {cl::cache_file_name("")};
  for (const Profile& profile : profile_candidates(profile_dir))
    hashes.push_back(cl::cache_file_name(to_json(profile)));
  return hashes;
}

constexpr std::time_t hour = 3600;

void look_into(const std::filesystem::path& folder, const std::string& what, const Judge& why_not,
               std::vector<Leftover>& found) {
  std::error_code missing;
  if (!std::filesystem::is_directory(folder, missing)) return;
  std::string problem;
  const cl::CacheDirectory files(folder.string(), problem);
  if (!files.usable()) return;
  files.visit([&](const cl::CacheFile& file) {
    Leftover leftover{folder / file.name, what, "", file.bytes, file.changed, ""};
    if (file.is_temporary) {
      if (file.changed + hour > now()) return;  // somebody writes it
      leftover.why = "left by a process that ended";
    } else {
      leftover.why = file.is_intact ? why_not(file) : "damaged, or others may write to it";
    }
    found.push_back(std::move(leftover));
  });
}

// The list of programs, which has no checksum, and what processes that ended left of it.
void look_for_list(const std::filesystem::path& list, std::vector<Leftover>& found) {
  const std::string name = list.filename().string();
  std::error_code missing;
  for (const auto& entry : std::filesystem::directory_iterator(list.parent_path(), missing)) {
    const std::string file = entry.path().filename().string();
    if (!std::filesystem::is_regular_file(entry.symlink_status(missing))) continue;
    const bool is_temporary = file.starts_with(name + '.');
    if (file != name && !is_temporary) continue;
    const std::time_t changed = changed_at(entry.path());
    if (changed == 0) continue;                            // it is gone
    if (is_temporary && changed + hour > now()) continue;  // somebody writes it
    found.push_back({entry.path(), "list of programs",
                     is_temporary ? "left by a process that ended" : "", entry.file_size(missing),
                     changed, ""});
  }
}

}  // namespace

std::vector<Leftover> cache_leftovers(const Settings& settings,
                                      const std::vector<PresentDevice>& present) {
  std::vector<Leftover> found;
  if (settings.cache_dir.empty()) return found;
  look_into(
      settings.cache_dir, "compiled kernel",
      [&](const cl::CacheFile& file) {
        return why_not_compiled_here(present, fields_of(file.key, 5), 0);
      },
      found);
  look_into(
      verdict_folder(settings.cache_dir), "verdict",
      [&](const cl::CacheFile& file) { return why_not_verdict(present, file); }, found);
  const auto profiles = profile_hashes(settings.profile_dir);
  look_into(
      learned_folder(settings.cache_dir), "learned times",
      [&](const cl::CacheFile& file) { return why_not_learned(present, profiles, file); }, found);
  look_into(
      last_device_folder(settings.cache_dir), "last device",
      [](const cl::CacheFile& file) {
        return is_of_an_earlier_boot(file.key) ? "of an earlier boot" : "";
      },
      found);
  const auto list = std::filesystem::path(settings.cache_dir) / DUOBLAS_PROGRAM_LIST;
  look_into(
      list.parent_path(), "history of programs", [](const cl::CacheFile&) { return ""; }, found);
  look_for_list(list, found);
  return found;
}

}  // namespace duoblas::cli
