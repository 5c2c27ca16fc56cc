// duoblas profile purge: what is of no use any more is shown, then removed.

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <ctime>
#include <iostream>
#include <iterator>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "cli/arguments.hpp"
#include "cli/leftovers.hpp"
#include "cli/profile_folder.hpp"
#include "cli/subcommands.hpp"
#include "cli/text_table.hpp"
#include "os/files.hpp"
#include "os/terminal.hpp"
#include "profile/profile_lock.hpp"

namespace duoblas::cli {
namespace {

std::string counted(std::size_t files, std::uintmax_t size) {
  return std::to_string(files) + (files == 1 ? " file" : " files") + " (" +
         bytes(static_cast<std::size_t>(size)) + ")";
}

std::uintmax_t size_of(const std::vector<Leftover>& files) {
  std::uintmax_t sum = 0;
  for (const Leftover& file : files) sum += file.bytes;
  return sum;
}

// Lists profiles and journals one by one. The cache's files are only counted: their names say
// nothing.
void show(const std::vector<Leftover>& files) {
  using enum TextTable::Align;
  TextTable table({{"what"}, {"files", right}, {"size", right}, {"why"}, {"where"}});
  struct Group {
    std::size_t files = 0;
    std::uintmax_t size = 0;
  };
  std::map<std::vector<std::string>, Group> groups;
  for (const Leftover& file : files) {
    const bool is_named = !file.locked_as.empty();
    const std::string place = (is_named ? file.file : file.file.parent_path()).string();
    const std::string why = file.why.empty() ? "--all" : file.why;
    Group& group = groups[{is_named ? "0" : "1", file.what, why, place}];
    ++group.files;
    group.size += file.bytes;
  }
  for (const auto& [of, group] : groups)
    table.add({of[1], std::to_string(group.files), bytes(static_cast<std::size_t>(group.size)),
               of[2], of[3]});
  table.print(std::cout);
}

bool agrees(std::size_t files) {
  std::cout << "Remove " << (files == 1 ? "it" : "them") << "? [y/N] " << std::flush;
  std::string answer;
  std::getline(std::cin, answer);
  return answer == "y" || answer == "Y" || answer == "yes";
}

// Removes the file. Returns why that failed; empty if it is gone.
std::string removal_problem(const Leftover& file) {
  std::optional<ProfileLock> lock;
  if (!file.locked_as.empty()) {
    lock.emplace(file.file.parent_path().string(), file.locked_as);
    if (!lock->held())
      return "a tuning of its machine is under way" +
             (lock->holder() > 0 ? " (process " + std::to_string(lock->holder()) + ")"
                                 : std::string());
  }
  if (const std::time_t changed = changed_at(file.file); changed != file.changed)
    return changed == 0 ? "" : "it has changed meanwhile";
  if (!remove_file(file.file.string()) && errno != ENOENT) return std::strerror(errno);
  return "";
}

}  // namespace

int purge_profiles(const PurgeOptions& options) {
  const Settings settings = settings_from_environment();
  const auto machine = opened_machine(settings);
  const auto present = present_devices();
  if (present.empty()) std::cout << "No OpenCL device is here now: nothing made for one fits.\n";
  auto files = profile_leftovers(settings, machine, present);
  std::ranges::copy(cache_leftovers(settings, present), std::back_inserter(files));
  const std::size_t found = files.size();
  if (!options.all) std::erase_if(files, [](const Leftover& file) { return file.why.empty(); });
  if (files.empty()) {
    std::cout << "Nothing to remove: " << found << (found == 1 ? " file fits" : " files fit")
              << " (--all removes those too).\n";
    return done;
  }
  show(files);
  const std::string all = counted(files.size(), size_of(files));
  const std::string kept = std::to_string(found - files.size()) + " stay";
  if (options.dry_run) {
    std::cout << "Would remove " << all << "; " << kept << ".\n";
    return done;
  }
  if (!options.yes) {
    if (!is_terminal(descriptor_of(StandardStream::input)) ||
        !is_terminal(descriptor_of(StandardStream::output)))
      throw UsageError(
          "profile purge asks before it removes, and there is no terminal: say --yes, or "
          "--dry-run");
    std::cout << all << "; " << kept << ".\n";
    if (!agrees(files.size())) {
      std::cout << "Nothing was removed.\n";
      return done;
    }
  }
  std::vector<Leftover> removed;
  int code = done;
  for (const Leftover& file : files) {
    if (const std::string problem = removal_problem(file); !problem.empty()) {
      std::cerr << "duoblas: " << file.file.string() << " stays: " << problem << '\n';
      code = failed;
    } else {
      removed.push_back(file);
    }
  }
  std::cout << "Removed " << counted(removed.size(), size_of(removed)) << ".\n";
  return code;
}

}  // namespace duoblas::cli
