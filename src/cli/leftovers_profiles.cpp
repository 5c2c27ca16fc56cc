// What is of no use any more in DUOBLAS_PROFILE_DIR.
#include <algorithm>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <variant>
#include <vector>

#include <duoblas/error.hpp>

#include "cli/core_types.hpp"
#include "cli/leftovers.hpp"
#include "profile/profile_match.hpp"
#include "tuner/journal_lines.hpp"

namespace duoblas::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view profile_ending = ".json", journal_ending = ".journal";

// "<device>-<hash of 16 digits>", as profile_file_name() makes it: other files are not ours.
bool is_our_stem(std::string_view stem) {
  constexpr std::size_t digits = 16;
  if (stem.size() < digits + 2 || stem[stem.size() - digits - 1] != '-') return false;
  return stem.substr(stem.size() - digits).find_first_not_of("0123456789abcdef") == stem.npos;
}

// The ending without the routine: other routines' journals are "<stem>.gemv.journal". Once there
// were more of them than gemv.
std::string without_routine(const std::string& ending) {
  for (const std::string routine : {"gemv", "ger", "axpy", "omatcopy"})
    if (ending.starts_with("." + routine + std::string(journal_ending)))
      return ending.substr(1 + routine.size());
  return ending;
}

struct NamedFile {
  fs::path path;
  std::string stem, ending;  ///< "<stem>.json", "<stem>.journal.old.2"
};

std::vector<NamedFile> our_files(const std::string& folder) {
  std::vector<NamedFile> files;
  std::error_code missing;
  for (const auto& entry : fs::directory_iterator(folder, missing)) {
    const std::string name = entry.path().filename().string();
    const std::size_t dot = name.find('.');
    if (dot == name.npos || !is_our_stem(std::string_view(name).substr(0, dot)) ||
        entry.symlink_status(missing).type() != fs::file_type::regular)
      continue;
    files.push_back({entry.path(), name.substr(0, dot), without_routine(name.substr(dot))});
  }
  std::ranges::sort(files, {}, &NamedFile::path);
  return files;
}

struct Stored {
  std::string text;
  std::optional<Profile> profile;
  std::string problem;
};

Stored stored(const NamedFile& file) {
  Stored found;
  try {
    found.text = read_profile_file(file.path.string()).value_or("");
    found.profile = profile_from_json(found.text);
    if (profile_file_name(found.profile->key) != file.path.filename().string())
      found.problem = "its name is not that of its machine: it is never found";
  } catch (const Error& error) {
    found.problem = std::string("damaged: ") + error.what();
    found.problem.resize(std::min(found.problem.find('\n'), found.problem.size()));
  }
  return found;
}

// Whether a device here, without a profile of its own, uses this one.
bool stands_in(const Profile& profile, const std::vector<PresentDevice>& present,
               const std::vector<Profile>& candidates, const std::string& cpu) {
  const std::string text = to_json(profile);
  for (const PresentDevice& device : present) {
    MachineIdentity tuning_case{
        {device.name, device.driver, cpu, profile.key.standin, profile.key.arithmetic},
        device.origin};
    const auto best = best_match(candidates, tuning_case);
    if (best && to_json(candidates[*best]) == text) return true;
  }
  return false;
}

std::string why_not_journal(const NamedFile& file, const std::vector<PresentDevice>& present,
                            const std::optional<OpenedMachine>& here) {
  std::string first;
  std::ifstream text(file.path);
  std::getline(text, first);
  try {
    const auto line = journal::from_text(first);
    const auto* header = std::get_if<JournalHeader>(&line);
    if (header == nullptr) return "damaged: it has no header";
    if (here && here->is_of(header->key)) {
      const auto code = here->kernel_code.find(header->key.arithmetic);
      return code == here->kernel_code.end() || code->second == header->code
                 ? ""
                 : "of kernels that have changed since";
    }
    return why_not_here(present, header->key.device, header->key.driver);
  } catch (const Error&) {
    return "damaged: it has no header";
  }
}

}  // namespace

std::vector<Leftover> profile_leftovers(const Settings& settings,
                                        const std::optional<OpenedMachine>& here,
                                        const std::vector<PresentDevice>& present) {
  std::vector<Leftover> found;
  if (settings.profile_dir.empty()) return found;
  const fs::path core_types = core_types_file(settings.profile_dir);
  if (const std::time_t changed = changed_at(core_types); changed != 0) {
    std::error_code missing;
    found.push_back(
        {core_types, "core types", "", fs::file_size(core_types, missing), changed, ""});
  }
  const auto files = our_files(settings.profile_dir);
  if (files.empty()) return found;
  const auto candidates = profile_candidates(settings.profile_dir);
  for (const NamedFile& file : files) {
    Leftover leftover;
    leftover.file = file.path;
    leftover.locked_as = file.stem + std::string(profile_ending);
    std::error_code missing;
    leftover.bytes = fs::file_size(file.path, missing);
    leftover.changed = changed_at(file.path);
    if (file.ending == profile_ending) {
      leftover.what = "profile";
      const Stored profile = stored(file);
      if (!profile.problem.empty())
        leftover.why = profile.problem;
      else if (!(here && here->is_of(profile.profile->key)) &&
               !stands_in(*profile.profile, present, candidates, here ? here->key.cpu : ""))
        leftover.why =
            why_not_here(present, profile.profile->key.device, profile.profile->key.driver);
    } else if (file.ending == journal_ending) {
      leftover.what = "journal";
      leftover.why = why_not_journal(file, present, here);
    } else if (file.ending.starts_with(journal_ending)) {
      leftover.what = "journal";
      leftover.why = "kept aside by a later tuning";
    } else if (file.ending == ".json.unusable") {
      leftover.what = "profile";
      leftover.why = "kept aside by a later tuning";
    } else if (file.ending == ".json.before-import") {
      leftover.what = "profile before an import";
    } else {
      continue;
    }
    found.push_back(std::move(leftover));
  }
  return found;
}

}  // namespace duoblas::cli
