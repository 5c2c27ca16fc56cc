// duoblas profile export, duoblas profile import: profiles go from machine to machine as files.

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <iostream>
#include <optional>
#include <string>
#include <system_error>

#include "cli/arguments.hpp"
#include "cli/json_file.hpp"
#include "cli/profile_folder.hpp"
#include "cli/subcommands.hpp"
#include "os/files.hpp"
#include "os/process.hpp"
#include "profile/profile_lock.hpp"

namespace duoblas::cli {
namespace {

namespace fs = std::filesystem;

// Reads no more than a profile may have.
std::string standard_input() {
  std::string text;
  char piece[1 << 16];
  while (text.size() <= longest_profile_file && std::cin.read(piece, sizeof piece).gcount() > 0) {
    text.append(piece, static_cast<std::size_t>(std::cin.gcount()));
  }
  return text;
}

Profile checked(const std::string& file) {
  const std::string text = file == "-" ? standard_input() : profile_text(file);
  const std::string source = file == "-" ? "standard input" : file;
  try {
    Profile profile = profile_from_json(text);
    if (profile.key.device.empty()) throw SettingError("key.device is empty");
    return profile;
  } catch (const SettingError& error) {
    throw Error("nothing was imported, " + source +
                " is no profile that can be used: " + error.what() +
                " (make it anew with \"duoblas tune\" and \"duoblas profile "
                "export\" on its machine)");
  }
}

std::optional<std::string> text_if_readable(const fs::path& path) {
  try {
    return read_profile_file(path.string());
  } catch (const Error&) {
    return std::nullopt;
  }
}

// Gives the file a second name for the moment, and then renames that. So the profile is there at
// every moment, whole or damaged.
void keep_before_import(const fs::path& path) {
  const std::string kept = path.string() + ".before-import";
  const std::string linked = kept + "." + std::to_string(process_id());
  remove_file(linked);
  if (!link_file(path.string(), linked)) {
    std::error_code error;
    fs::copy_file(path, linked, error);  // a file system without links
    if (error) {
      throw Error("nothing was imported, cannot keep " + path.string() + " as " + kept + ": " +
                  error.message());
    }
  }
  if (!rename_file(linked, kept)) {
    const std::string why = std::strerror(errno);
    remove_file(linked);
    throw Error("nothing was imported, cannot keep " + path.string() + " as " + kept + ": " + why);
  }
  std::cout << "The one before is kept as " << kept << '\n';
}

std::string use_text(const Profile& profile) {
  if (profile.key.standin && !settings_from_environment().standin)
    return "It is a stand-in's: only DUOBLAS_STANDIN=1 may use it.";
  auto here = this_machine();
  if (here) here->key.arithmetic = profile.key.arithmetic;
  if (!here) return "That is not this machine: no OpenCL device is used here.";
  switch (match(profile, *here)) {
    case ProfileMatch::exact: return "That is this machine: it is used from the next start on.";
    case ProfileMatch::none:
      return "That is not this machine, nor one like it: it is not used here.";
    case ProfileMatch::device:
      return "That is not this machine, but the same device: it stands in until this one is tuned.";
    default:
      return "That is not this machine (only the same " + std::string(name(match(profile, *here))) +
             "): its kernels may stand in where the GPU is asked for.";
  }
}

}  // namespace

int export_profile(const std::string& name, const std::string& file) {
  const fs::path path = chosen_profile(name);
  const std::string text = profile_text(path);
  profile_from_json(text);  // what leaves is usable, or the reason why not is told
  std::error_code missing;
  if (file != "-" && fs::equivalent(path, file, missing)) {
    throw Error(file + " is the profile itself: name another file");
  }
  write_text(file, text);
  if (file != "-") std::cout << "exported " << path.string() << " to " << file << '\n';
  return done;
}

int import_profile(const std::string& file) {
  const Profile profile = checked(file);
  const std::string file_name = profile_file_name(profile.key);
  const fs::path path = profile_folder() / file_name;
  const ProfileLock lock(profile_folder().string(), file_name);
  lock.require_held();
  const std::string text = to_json(profile);
  if (text_if_readable(path) == text) {
    std::cout << "It is there already: " << path.string() << '\n';
  } else {
    if (fs::symlink_status(path).type() != fs::file_type::not_found) keep_before_import(path);
    std::cout << "Imported as " << store_profile(lock, profile) << '\n';
  }
  std::cout << "For " << title(profile) << ".\n" << use_text(profile) << '\n';
  return done;
}

}  // namespace duoblas::cli
