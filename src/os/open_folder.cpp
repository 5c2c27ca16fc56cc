#include "os/open_folder.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <memory>

#include "os/files.hpp"
#include "os/process.hpp"
#include "os/restored_signals.hpp"

namespace duoblas {

bool is_private(const FileStatus& status) noexcept {
  return status.user == effective_user() && !status.others_may_write;
}

OpenFolder::OpenFolder(const std::string& path) noexcept
    : folder_(open_file(path, Opened::as_folder)) {}

FileDescriptor OpenFolder::open_private(const char* name, FileStatus* about) const noexcept {
  FileDescriptor file(
      ::openat(folder_.get(), name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK));
  const std::optional<FileStatus> found = file_status(file.get());
  if (!found || !found->is_regular || !is_private(*found)) file.close();
  if (about != nullptr && found) *about = *found;
  return file;
}

void OpenFolder::for_each_name(const std::function<void(const char*)>& take) const {
  const int again = ::openat(folder_.get(), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  DIR* const names = again < 0 ? nullptr : ::fdopendir(again);
  if (names == nullptr) {
    if (again >= 0) ::close(again);
    return;
  }
  const std::unique_ptr<DIR, int (*)(DIR*)> closed(names, ::closedir);
  while (const dirent* entry = ::readdir(names)) take(entry->d_name);
}

int OpenFolder::replace(const std::string& name, std::span<const std::string_view> parts) const {
  const FileSizeSignalBlocked fails_at_a_limit;
  static std::atomic<unsigned> serial{0};
  const std::string temporary =
      name + "." + std::to_string(process_id()) + "." + std::to_string(serial++);
  bool is_there = false;
  {
    const FileDescriptor file(::openat(folder_.get(), temporary.c_str(),
                                       O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
                                       S_IRUSR | S_IWUSR));
    is_there = file.get() >= 0 && std::ranges::all_of(parts, [&](std::string_view part) {
                 return write_all(file.get(), part.data(), part.size());
               });
  }
  if (is_there && ::renameat(folder_.get(), temporary.c_str(), folder_.get(), name.c_str()) == 0)
    return 0;
  const int error = errno;
  ::unlinkat(folder_.get(), temporary.c_str(), 0);
  return error;
}

}  // namespace duoblas
