#include "os/files.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <memory>

#include "os/file_status.hpp"

namespace duoblas {
namespace {

// Not std::filesystem::directory_iterator: GCC 12's ends the process where memory is short.
using Folder = std::unique_ptr<DIR, int (*)(DIR*)>;

Folder opened(const std::string& folder) {
  return {::opendir(folder.c_str()), ::closedir};
}

}  // namespace

int open_file(const std::string& path, Opened how) noexcept {
  constexpr mode_t own = S_IRUSR | S_IWUSR;
  constexpr int lock = O_RDWR | O_CREAT | O_CLOEXEC;
  switch (how) {
    case Opened::to_read: return ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    case Opened::as_lock: return ::open(path.c_str(), lock, own);
    case Opened::as_own_lock: return ::open(path.c_str(), lock | O_NOFOLLOW | O_NONBLOCK, own);
    case Opened::to_append:
      return ::open(path.c_str(), lock | O_APPEND | O_NOFOLLOW | O_NONBLOCK, own);
    case Opened::as_folder: return ::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  }
  return -1;
}

int make_temporary_file(std::string& path) noexcept {
  return ::mkostemp(path.data(), O_CLOEXEC);
}

int make_memory_file(const char* label) noexcept {
  return ::memfd_create(label, MFD_CLOEXEC);
}

bool rename_file(const std::string& from, const std::string& to) noexcept {
  return ::rename(from.c_str(), to.c_str()) == 0;
}

bool link_file(const std::string& file, const std::string& name) noexcept {
  return ::link(file.c_str(), name.c_str()) == 0;
}

bool remove_file(const std::string& path) noexcept {
  return ::unlink(path.c_str()) == 0;
}

bool make_folder(const std::string& path) noexcept {
  return ::mkdir(path.c_str(), S_IRWXU) == 0;
}

bool give_file(const std::string& path, unsigned user, unsigned group) noexcept {
  return ::lchown(path.c_str(), user, group) == 0;
}

bool give_file(int descriptor, unsigned user, unsigned group) noexcept {
  return ::fchown(descriptor, user, group) == 0;
}

bool flush_file(int descriptor) noexcept {
  return ::fsync(descriptor) == 0;
}

bool flush_content(int descriptor) noexcept {
  return ::fdatasync(descriptor) == 0;
}

void close_file(int descriptor) noexcept {
  ::close(descriptor);
}

bool shorten_file(int descriptor, std::int64_t bytes) noexcept {
  return ::ftruncate(descriptor, bytes) == 0;
}

bool replace_text(int descriptor, const std::string& text) noexcept {
  return ::ftruncate(descriptor, 0) == 0 &&
         ::pwrite(descriptor, text.data(), text.size(), 0) == static_cast<ssize_t>(text.size());
}

std::string text_at_start(int descriptor, std::size_t most) {
  std::string text(most, '\0');
  const ssize_t got = ::pread(descriptor, text.data(), most, 0);
  text.resize(got > 0 ? static_cast<std::size_t>(got) : 0);
  return text;
}

long read_small_file(const std::string& path, char* bytes, std::size_t size) noexcept {
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return -1;
  const long count = ::read(file, bytes, size);
  const int error = errno;
  ::close(file);
  errno = error;
  return count;
}

bool for_each_name(const std::string& folder, const std::function<void(const char*)>& take) {
  const Folder names = opened(folder);
  if (names == nullptr) return false;
  while (const dirent* const entry = ::readdir(names.get())) take(entry->d_name);
  return true;
}

bool has_others_folders(const std::string& folder) {
  const Folder names = opened(folder);
  if (names == nullptr) return true;
  while (const dirent* const entry = ::readdir(names.get()))
    if (entry->d_type == DT_DIR && entry->d_name[0] != '.' &&
        !may_use_folder(folder + '/' + entry->d_name))
      return true;
  return false;
}

FileSystem file_system_of(const std::string& path) noexcept {
  FileSystem known;
  struct statvfs system {};
  if (::statvfs(path.c_str(), &system) != 0) return known;
  known.runs_code = (system.f_flag & ST_NOEXEC) == 0;
  known.has_size = system.f_blocks > 0;
  known.free_bytes = static_cast<unsigned long long>(system.f_bavail) * system.f_frsize;
  return known;
}

}  // namespace duoblas
