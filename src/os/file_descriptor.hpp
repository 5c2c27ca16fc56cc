// A file descriptor of our own in a process whose program opens and closes others.
#pragma once

#include <sys/types.h>

#include <cstddef>

namespace duoblas {

/// Closed when it goes out of scope. A program may close every descriptor that it did not open, as
/// daemons do, and the next files that it opens get the lowest numbers. So before each use and
/// before it is closed its number is compared with the file that was opened. None has the number of
/// a standard stream.
class FileDescriptor {
 public:
  FileDescriptor() = default;
  /// Takes one that was just opened, and that exec() closes. Below 0: none; errno stays as it is.
  explicit FileDescriptor(int opened) noexcept;
  /// The same of one that stays open while the program runs: its number is so high that the
  /// program's files hardly get it. The first one takes 10 ms and more where threads run: Linux
  /// waits until none of them can see the smaller table (expand_fdtable() in fs/file.c).
  static FileDescriptor lasting(int opened) noexcept;
  FileDescriptor(FileDescriptor&& other) noexcept;
  FileDescriptor& operator=(FileDescriptor&& other) noexcept;
  ~FileDescriptor();

  /// For one system call. Below 0: it is not open.
  int get() const noexcept;
  /// The program has closed it.
  bool is_lost() const noexcept { return number_ >= 0 && get() < 0; }
  /// Closes it, unless the program has. A handler of a signal or a fork may call it, and get().
  void close() noexcept;

 private:
  int number_ = -1;
  dev_t device_ = 0;
  ino_t inode_ = 0;
};

/// Writes all of it, in as many calls as that takes. False: errno says why.
bool write_all(int descriptor, const void* from, std::size_t bytes) noexcept;
/// Reads until `bytes` are there or the file ends; returns how many. Below 0: errno says why.
ssize_t read_all(int descriptor, void* to, std::size_t bytes) noexcept;

}  // namespace duoblas
