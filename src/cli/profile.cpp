// duoblas profile: the stored results of tuning: listed, shown, checked, exchanged, removed.
#include <CLI/CLI.hpp>
#include <filesystem>
#include <iostream>
#include <memory>
#include <string>
#include <system_error>
#include <vector>

#include "cli/arguments.hpp"
#include "cli/profile_folder.hpp"
#include "cli/subcommands.hpp"
#include "profile/profile_lock.hpp"

namespace duoblas::cli {
namespace {

constexpr const char* kProfileFooter =
    "Examples:\n"
    "  duoblas profile list                all profiles of this user\n"
    "  duoblas profile show                this machine's, as JSON\n"
    "  duoblas profile verify              are they whole and legal?\n"
    "  duoblas profile export mine.json    this machine's, to a file\n"
    "  duoblas profile import mine.json    checked first; the one before is kept\n"
    "  duoblas profile remove              back to what there was before tuning\n"
    "\n"
    "NAME is a file's name as `list` prints it, or a path. Profiles hold parameters, never code.\n"
    "Stand-in profiles are apart: DUOBLAS_STANDIN=1 duoblas profile show\n"
    "So are those of doubles by integers, which have to be named.";

struct ProfileOptions {
  std::string name;
  bool all = false;
  std::string json;
  std::vector<std::string> from_to;  ///< [NAME] FILE
  std::string file;
};

int show(const ProfileOptions& options) {
  const std::string text = profile_text(chosen_profile(options.name));
  profile_from_json(text);  // what is shown is usable, or the reason why not is
  std::cout << text << (text.back() == '\n' ? "" : "\n");
  return done;
}

int verify(const ProfileOptions& options) {
  const auto files = options.name.empty()
                         ? stored_profiles()
                         : std::vector<std::filesystem::path>{chosen_profile(options.name)};
  int code = done;
  for (const std::filesystem::path& file : files) {
    const std::string problem = profile_problem(file);
    std::cout << file.string() << ": " << (problem.empty() ? "good" : problem) << '\n';
    if (!problem.empty()) code = failed;
  }
  if (files.empty()) std::cout << "No profiles in " << profile_folder().string() << '\n';
  return code;
}

// A path may name any file, but only profiles are deleted. In the profiles' own folder damaged ones
// are, too.
void require_profile(const std::filesystem::path& file) {
  std::error_code missing;
  if (file.extension() == ".json" &&
      std::filesystem::equivalent(file.parent_path(), profile_folder(), missing))
    return;
  profile_from_json(profile_text(file));
}

// The lock keeps tunings away: one under way would write the file again, or miss it.
void remove_locked(const std::filesystem::path& file) {
  std::error_code error;
  if (std::filesystem::exists(std::filesystem::symlink_status(file, error))) {
    const auto folder = file.has_parent_path() ? file.parent_path() : std::filesystem::path(".");
    const ProfileLock lock(folder.string(), file.filename().string());
    lock.require_held();
    if (std::filesystem::remove(file, error)) return;
  }
  throw Error("cannot remove " + file.string() + ": " +
              (error ? error.message() : "there is no such profile"));
}

int export_to(const ProfileOptions& options) {
  const bool named = options.from_to.size() == 2;
  return export_profile(named ? options.from_to.front() : "", options.from_to.back());
}

int remove(const ProfileOptions& options) {
  const auto files = options.all ? stored_profiles()
                                 : std::vector<std::filesystem::path>{chosen_profile(options.name)};
  for (const std::filesystem::path& file : files) {
    require_profile(file);
    remove_locked(file);
    std::cout << "removed " << file.string() << '\n';
  }
  if (files.empty()) std::cout << "No profiles in " << profile_folder().string() << '\n';
  return done;
}

}  // namespace

void add_profile(CLI::App& app, int& code) {
  auto options = std::make_shared<ProfileOptions>();
  CLI::App* command =
      app.add_subcommand("profile", "List, show, exchange, verify or remove tuning results");
  command->require_subcommand(0, 1);
  command->callback([command] {
    if (command->get_subcommands().empty()) {
      throw UsageError(
          "profile: say list, show, verify, export, import or remove (see profile "
          "--help)");
    }
  });
  command->footer(kProfileFooter);
  const auto add = [&](const char* action, const char* meaning, int (*run)(const ProfileOptions&)) {
    CLI::App* sub = command->add_subcommand(action, meaning);
    sub->callback([options, run, &code] { code = run(*options); });
    return sub;
  };
  const auto add_name = [&](CLI::App* sub, const char* otherwise) {
    return add_value(*sub, "name", options->name, "NAME", otherwise);
  };
  add_value(*add("list", "All profiles of this user",
                 [](const ProfileOptions& given) { return list_profiles(given.json); }),
            "--json", options->json, "FILE", "Write the list to this file (- for stdout)");
  add_name(add("show", "Print a profile", show), "This machine's unless given");
  add_name(add("verify", "Check that profiles can be used", verify), "All unless given");
  add_value(*add("export", "Copy a profile to a file, for another machine", export_to), "file",
            options->from_to, "[NAME] FILE", "This machine's unless NAME is given; - for stdout")
      ->required()
      ->expected(1, 2);
  add_value(*add("import", "Take a profile from a file, after every check",
                 [](const ProfileOptions& given) { return import_profile(given.file); }),
            "file", options->file, "FILE", "As export wrote it; - for stdin")
      ->required();
  CLI::App* remover = add("remove", "Delete a profile", remove);
  CLI::Option* which = add_name(remover, "This machine's unless given");
  remover->add_flag("--all", options->all, "All profiles of this user")->excludes(which);
}

}  // namespace duoblas::cli
