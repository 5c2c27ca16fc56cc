// duoblas profile: the stored results of tuning: listed, shown, checked, removed.
#include <algorithm>
#include <filesystem>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "cli/arguments.hpp"
#include "cli/json_file.hpp"
#include "cli/subcommands.hpp"
#include "cli/text_table.hpp"
#include "plan/profile.hpp"

namespace duoblas::cli {
namespace {

namespace fs = std::filesystem;

constexpr const char* kFooter =
    "Examples:\n"
    "  duoblas profile list            all profiles of this user\n"
    "  duoblas profile show            this machine's, as JSON\n"
    "  duoblas profile verify          are they whole and legal?\n"
    "  duoblas profile remove          back to the built-in kernels on this machine\n"
    "\n"
    "NAME is a file's name as `list` prints it, or a path. Profiles hold parameters, never code.\n"
    "Stand-in profiles are apart: DUOBLAS_STANDIN=1 duoblas profile show";

struct Options {
  std::string name;
  bool all = false;
  std::string json;
};

fs::path directory() {
  const Settings settings = settings_from_environment();
  if (settings.profile_dir.empty()) {
    throw Error("there is no folder for profiles: set DUOBLAS_PROFILE_DIR");
  }
  return settings.profile_dir;
}

fs::path this_machines() {
  Engine engine(settings_from_environment());
  if (engine.gpu() == nullptr) {
    throw Error("this machine needs no profile, the CPU does everything: " + engine.gpu_problem());
  }
  return directory() / profile_file_name(engine.profile_key());
}

fs::path chosen(const Options& options) {
  if (options.name.empty()) return this_machines();
  const fs::path given = options.name;
  return given.has_parent_path() ? given : directory() / given;
}

std::vector<fs::path> stored() {
  std::vector<fs::path> files;
  std::error_code missing;  // no folder yet: no profiles
  for (const auto& entry : fs::directory_iterator(directory(), missing)) {
    if (entry.path().extension() == ".json") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

std::string text_of(const fs::path& path) {
  try {
    const auto text = read_profile_file(path.string());
    if (!text) throw SettingError("there is no such file");
    if (text->empty()) throw SettingError("it is empty");
    return *text;
  } catch (const SettingError& error) {
    throw Error("cannot read the profile " + path.string() + ": " + error.what());
  }
}

// What is wrong with the file; empty: nothing.
std::string problem_of(const fs::path& path) {
  try {
    const Profile profile = profile_from_json(text_of(path));
    if (profile_file_name(profile.key) != path.filename().string()) {
      return "its name is not that of the machine it is for (" + profile_file_name(profile.key) +
             "), so it is never found";
    }
    return {};
  } catch (const Error& error) {
    return error.what();
  }
}

std::string shapes_text(const Profile& profile) {
  std::string text;
  for (const char letter : {'s', 'd', 'c', 'z'}) {
    const auto count = std::count_if(
        profile.points.begin(), profile.points.end(),
        [&](const TunedPoint& p) { return p.precision == static_cast<Precision>(letter); });
    if (count > 0) {
      text +=
          (text.empty() ? "" : ", ") + std::string(1, letter) + "gemm x " + std::to_string(count);
    }
  }
  return text.empty() ? "nothing" : text;
}

int list(const Options& options) {
  const auto files = stored();
  nlohmann::json document = {{"directory", directory().string()},
                             {"profiles", nlohmann::json::array()}};
  TextTable table({{"name"}, {"device"}, {"processor"}, {"tuned"}, {"created"}});
  for (const fs::path& path : files) {
    const std::string file_name = path.filename().string();
    const std::string problem = problem_of(path);
    nlohmann::json entry = {{"name", file_name}, {"problem", problem}};
    if (!problem.empty()) {
      table.add({file_name, "not usable: " + problem.substr(0, problem.find('\n')), "", "", ""});
    } else {
      const Profile profile = profile_from_json(text_of(path));
      const std::string device = profile.key.device + (profile.key.standin ? " (stand-in)" : "");
      table.add({file_name, device, profile.key.cpu, shapes_text(profile), profile.created});
      entry["device"] = profile.key.device;
      entry["cpu"] = profile.key.cpu;
      entry["standin"] = profile.key.standin;
      entry["points"] = profile.points.size();
      entry["created"] = profile.created;
    }
    document["profiles"].push_back(std::move(entry));
  }
  if (!options.json.empty()) write_json(options.json, document);
  if (options.json == "-") return done;
  if (files.empty()) {
    std::cout << "No profiles in " << directory().string() << ". duoblas tune makes one.\n";
  } else {
    std::cout << "In " << directory().string() << ":\n";
    table.print(std::cout);
  }
  return done;
}

int show(const Options& options) {
  const std::string text = text_of(chosen(options));
  profile_from_json(text);  // what is shown is usable, or the reason why not is
  std::cout << text << (text.back() == '\n' ? "" : "\n");
  return done;
}

int path(const Options& options) {
  const fs::path file = chosen(options);
  std::cout << file.string() << '\n';
  if (!fs::exists(file)) std::cerr << "duoblas: not there yet; duoblas tune makes it\n";
  return done;
}

int verify(const Options& options) {
  const auto files = options.name.empty() ? stored() : std::vector<fs::path>{chosen(options)};
  int code = done;
  for (const fs::path& file : files) {
    const std::string problem = problem_of(file);
    std::cout << file.string() << ": " << (problem.empty() ? "good" : problem) << '\n';
    if (!problem.empty()) code = failed;
  }
  if (files.empty()) std::cout << "No profiles in " << directory().string() << '\n';
  return code;
}

// A path may name any file; only profiles are ours to delete. In the profiles' own folder a damaged
// one counts too.
void require_profile(const fs::path& file) {
  std::error_code missing;
  if (file.extension() == ".json" && fs::equivalent(file.parent_path(), directory(), missing))
    return;
  profile_from_json(text_of(file));
}

int remove(const Options& options) {
  const auto files = options.all ? stored() : std::vector<fs::path>{chosen(options)};
  for (const fs::path& file : files) {
    require_profile(file);
    std::error_code error;
    if (!fs::remove(file, error)) {
      throw Error("cannot remove " + file.string() + ": " +
                  (error ? error.message() : "there is no such profile"));
    }
    std::cout << "removed " << file.string() << '\n';
  }
  if (files.empty()) std::cout << "No profiles in " << directory().string() << '\n';
  return done;
}

}  // namespace

void add_profile(CLI::App& app, int& code) {
  auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand("profile", "List, show, verify or remove tuning results");
  command->require_subcommand(0, 1);
  command->callback([command] {
    if (command->get_subcommands().empty()) {
      throw UsageError("profile: say list, show, path, verify or remove (see profile --help)");
    }
  });
  command->footer(kFooter);
  const auto add = [&](const char* action, const char* meaning, int (*run)(const Options&)) {
    CLI::App* sub = command->add_subcommand(action, meaning);
    sub->callback([options, run, &code] { code = run(*options); });
    return sub;
  };
  const auto add_name = [&](CLI::App* sub, const char* otherwise) {
    return sub->add_option("name", options->name, otherwise)->type_name("NAME");
  };
  add("list", "All profiles of this user", list)
      ->add_option("--json", options->json, "Write the list to this file (- for stdout)")
      ->type_name("FILE");
  add_name(add("show", "Print a profile", show), "This machine's unless given");
  add_name(add("path", "Where a profile lies", path), "This machine's unless given");
  add_name(add("verify", "Check that profiles can be used", verify), "All unless given");
  CLI::App* remover = add("remove", "Delete a profile", remove);
  CLI::Option* which = add_name(remover, "This machine's unless given");
  remover->add_flag("--all", options->all, "All profiles of this user")->excludes(which);
}

}  // namespace duoblas::cli
