// Files by name. Those that return false, or a number below 0, leave the reason in errno.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "os/file_descriptor.hpp"

namespace duoblas {

/// How a file is opened. Child programs never get it.
enum class Opened {
  to_read,      ///< also a pipe or a device, without waiting for it
  as_lock,      ///< to read and write; made for this user only, where there is none
  as_own_lock,  ///< the same, but never through a symbolic link
  to_append,    ///< to read too; made and found as an own lock is
  as_folder,
};
/// For FileDescriptor, or close_file(). Below 0: errno says why.
int open_file(const std::string& path, Opened how) noexcept;
/// Makes and opens a file of this user. The six X at the end of `path` become its own letters.
int make_temporary_file(std::string& path) noexcept;
/// A file that has no name, and lies in memory.
int make_memory_file(const char* label) noexcept;

bool rename_file(const std::string& from, const std::string& to) noexcept;
/// A second name for it.
bool link_file(const std::string& file, const std::string& name) noexcept;
bool remove_file(const std::string& path) noexcept;
/// For this user only.
bool make_folder(const std::string& path) noexcept;
/// Gives a file, or a link itself, to another user.
bool give_file(const std::string& path, unsigned user, unsigned group) noexcept;
bool give_file(int descriptor, unsigned user, unsigned group) noexcept;
void close_file(int descriptor) noexcept;
/// Waits until it is on the disk.
bool flush_file(int descriptor) noexcept;
/// The same of its content and length only: a power failure may lose when it was changed.
bool flush_content(int descriptor) noexcept;
bool shorten_file(int descriptor, std::int64_t bytes) noexcept;
/// Its text becomes this one, however long it was.
bool replace_text(int descriptor, const std::string& text) noexcept;
/// The first bytes of it, `most` at most; empty: it cannot be read.
std::string text_at_start(int descriptor, std::size_t most);
/// Reads a small file at once, as those of /proc and /sys are. The bytes that were read.
long read_small_file(const std::string& path, char* bytes, std::size_t size) noexcept;

/// The names in a folder, in no order. Throws only what `take` throws; false: it cannot be read.
bool for_each_name(const std::string& folder, const std::function<void(const char*)>& take);
/// Whether a folder has folders that this process may not use.
bool has_others_folders(const std::string& folder);

/// What a file system lets one do.
struct FileSystem {
  bool runs_code = true;  ///< files of it may be executed, and mapped to be
  bool has_size = false;  ///< what follows is known
  unsigned long long free_bytes = 0;
};
FileSystem file_system_of(const std::string& path) noexcept;

}  // namespace duoblas
