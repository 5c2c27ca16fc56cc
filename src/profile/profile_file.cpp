// Profiles as files: read with suspicion, written so that no reader ever sees half of one.

#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <exception>
#include <filesystem>
#include <optional>
#include <string>

#include <duoblas/error.hpp>

#include "os/file_status.hpp"
#include "os/files.hpp"
#include "profile/profile.hpp"
#include "profile/profile_lock.hpp"

namespace duoblas {
namespace {

std::string reason() {
  return std::strerror(errno);
}

std::uint64_t fnv1a(const std::string& text) {
  std::uint64_t hash = 14695981039346656037u;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211u;
  return hash;
}

// Names of devices hold spaces, slashes and trademark signs.
std::string plain(const std::string& text, std::size_t limit) {
  std::string result;
  for (const char c : text) {
    const bool keep = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    if (keep)
      result += c;
    else if (!result.empty() && result.back() != '-')
      result += '-';
    if (result.size() == limit) break;
  }
  while (!result.empty() && result.back() == '-') result.pop_back();
  return result;
}

// Bytes that are no UTF-8 are replaced when they are stored, so bytes beyond ASCII are all alike.
// (The file's name holds a hash of the key as it is.)
std::string ascii_form(const std::string& text) {
  std::string form;
  for (const char c : text) {
    const bool is_ascii = static_cast<unsigned char>(c) < 0x80;
    if (is_ascii || form.empty() || form.back() != '\xff') form += is_ascii ? c : '\xff';
  }
  return form;
}

bool is_stored_as(const ProfileKey& stored, const ProfileKey& key) {
  return ascii_form(stored.device) == ascii_form(key.device) &&
         ascii_form(stored.driver) == ascii_form(key.driver) &&
         ascii_form(stored.cpu) == ascii_form(key.cpu) && stored.standin == key.standin &&
         stored.arithmetic == key.arithmetic;
}

void write_durably(const std::string& temporary, int descriptor, const std::string& text,
                   const FileOwner& owner) {
  if (!write_all(descriptor, text.data(), text.size()))
    throw SettingError("cannot write the profile " + temporary + ": " + reason());
  if (owner && !give_file(descriptor, owner->first, owner->second))
    throw SettingError("cannot give the profile " + temporary + " to its user: " + reason());
  if (!flush_file(descriptor))
    throw SettingError("cannot write the profile " + temporary + ": " + reason());
}

}  // namespace

std::optional<std::string> read_profile_file(const std::string& path) {
  const FileDescriptor file(open_file(path, Opened::to_read));
  if (file.get() < 0) {
    if (errno == ENOENT || errno == ENOTDIR) return std::nullopt;
    throw SettingError("the file cannot be opened: " + reason());
  }
  const auto status = file_status(file.get());
  if (!status) throw SettingError("the file cannot be read: " + reason());
  if (!status->is_regular) throw SettingError("this is not a regular file");
  if (status->bytes > longest_profile_file) throw SettingError("the file is larger than 4 MiB");
  std::string text(static_cast<std::size_t>(status->bytes), '\0');
  const ssize_t have = read_all(file.get(), text.data(), text.size());
  if (have < 0) throw SettingError("the file cannot be read: " + reason());
  text.resize(static_cast<std::size_t>(have));
  return text;
}

std::string profile_file_name(const ProfileKey& key) {
  const bool integers = key.arithmetic == Arithmetic::integers;
  const std::string all = key.device + '\n' + key.driver + '\n' + key.cpu + '\n' +
                          (key.standin ? "standin" : "") + (integers ? "\nintegers" : "");
  char hash[17];
  std::snprintf(hash, sizeof hash, "%016llx", static_cast<unsigned long long>(fnv1a(all)));
  const std::string device = plain(key.device, 60);
  return (device.empty() ? "device" : device) + (key.standin ? "-standin" : "") +
         (integers ? "-integers-" : "-") + hash + ".json";
}

std::optional<Profile> load_profile(const std::string& directory, const ProfileKey& key,
                                    std::string* problem) try {
  if (problem) problem->clear();
  if (directory.empty()) return std::nullopt;
  const std::string path = (std::filesystem::path(directory) / profile_file_name(key)).string();
  try {
    const auto text = read_profile_file(path);
    if (!text) return std::nullopt;
    Profile profile = profile_from_json(*text);
    if (!is_stored_as(profile.key, key))
      throw SettingError("key is that of another machine, device or driver");
    profile.key = key;
    return profile;
  } catch (const std::exception& e) {
    if (problem)
      *problem = "profile " + path + ": " + e.what() + "; run \"duoblas tune\" to replace it";
    return std::nullopt;
  }
} catch (...) {  // out of memory while the message was made
  return std::nullopt;
}

std::string store_profile(const ProfileLock& lock, const Profile& profile, const FileOwner& owner) {
  lock.require_held();
  const std::string name = profile_file_name(profile.key);
  if (lock.profile_name() != name)
    throw SettingError("the lock is that of another profile: " + lock.profile_name() +
                       " instead of " + name);
  const std::string path = (std::filesystem::path(lock.directory()) / name).string();
  replace_profile_file(path, to_json(profile), owner);
  return path;
}

std::string store_profile(const std::string& directory, const Profile& profile,
                          const FileOwner& owner) {
  const ProfileLock lock(directory, profile_file_name(profile.key), owner);
  return store_profile(lock, profile, owner);
}

void replace_profile_file(const std::string& path, const std::string& text,
                          const FileOwner& owner) {
  std::string temporary = path + ".XXXXXX";
  const FileDescriptor file(make_temporary_file(temporary));
  if (file.get() < 0)
    throw SettingError("cannot write the profile " + path + ": " + reason() +
                       "; set DUOBLAS_PROFILE_DIR to a directory that can be written");
  try {
    write_durably(temporary, file.get(), text, owner);
    if (!rename_file(temporary, path))
      throw SettingError("cannot write the profile " + path + ": " + reason());
  } catch (...) {
    remove_file(temporary);
    throw;
  }
  // The rename itself lasts only when the directory is on disk; the file is already whole.
  const std::string directory = std::filesystem::path(path).parent_path().string();
  const FileDescriptor parent(open_file(directory.empty() ? "." : directory, Opened::as_folder));
  if (parent.get() >= 0) flush_file(parent.get());
}

}  // namespace duoblas
