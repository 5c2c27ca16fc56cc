#include "engine/learned_file.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <utility>

#include <duoblas/duoblas.h>

#include "opencl/cache_file.hpp"
#include "os/file_lock.hpp"
#include "os/files.hpp"
#include "os/fork_state.hpp"

namespace duoblas {
namespace {

// A fork shares open files and their locks, so a child that lives on would count as a user, though
// it never uses a device.
constinit std::array<std::atomic<FileDescriptor*>, 16> open_files = {};

void close_in_child() {
  for (std::atomic<FileDescriptor*>& file : open_files)
    if (FileDescriptor* const open = file.exchange(nullptr); open != nullptr) open->close();
}

// False: there are too many.
bool is_closed_in_children(FileDescriptor& descriptor) {
  static const bool registered = at_fork(nullptr, nullptr, close_in_child);
  for (std::atomic<FileDescriptor*>& file : open_files) {
    FileDescriptor* free = nullptr;
    if (registered && file.compare_exchange_strong(free, &descriptor)) return true;
  }
  return false;
}

void forget(FileDescriptor& descriptor) {
  for (std::atomic<FileDescriptor*>& file : open_files) {
    FileDescriptor* expected = &descriptor;
    if (file.compare_exchange_strong(expected, nullptr)) return;
  }
}

constexpr std::string_view first_line = "calls of DuoBLAS";

}  // namespace

std::string learned_version() {
  return std::to_string(DUOBLAS_VERSION_MAJOR) + '.' + std::to_string(DUOBLAS_VERSION_MINOR) + '.' +
         std::to_string(DUOBLAS_VERSION_PATCH);
}

std::string to_text(const LearnedKey& key) {
  std::string text(first_line);
  for (std::string line : {key.version, key.device, key.driver, key.profile, key.others}) {
    std::ranges::replace(line, '\n', ' ');
    text += '\n' + line;
  }
  return text;
}

std::string learned_folder(const std::string& cache_dir) {
  return cache_dir.empty() ? std::string() : cache_dir + "/learned";
}

LearnedFile::LearnedFile(const std::string& cache_dir, std::string key, const std::string& device)
    : key_(std::move(key)) {
  folder_ = learned_folder(cache_dir);
  if (folder_.empty()) return;
  if (!cl::CacheDirectory(folder_).usable()) {
    folder_.clear();
    return;
  }
  users_path_ = folder_ + "/" + cl::cache_file_name("users of " + device) + ".users";
  if (is_closed_in_children(users_)) join_users();
}

LearnedFile::~LearnedFile() {
  forget(users_);
}

void LearnedFile::join_users() {
  users_ = FileDescriptor::lasting(open_file(users_path_, Opened::as_lock));
  if (!join_file_users(users_.get())) users_.close();
}

// A program that closes every descriptor closes this one.
int LearnedFile::users() {
  const std::unique_lock only(joining_, std::try_to_lock);
  if (!only) return -1;  // whom another thread, or one of the parent's, keeps waiting goes without
  if (users_.is_lost()) join_users();
  return users_.get();
}

std::vector<unsigned char> LearnedFile::load() const {
  if (folder_.empty()) return {};
  return cl::CacheDirectory(folder_).load(key_);
}

bool LearnedFile::is_shared() {
  return has_other_users(users());
}

bool LearnedFile::store(const std::vector<unsigned char>& bytes) {
  return users() >= 0 && !is_shared() && store_beside_others(bytes);
}

bool LearnedFile::store_beside_others(const std::vector<unsigned char>& bytes) const {
  if (folder_.empty()) return false;
  return cl::CacheDirectory(folder_).store(key_, bytes).empty();
}

}  // namespace duoblas
