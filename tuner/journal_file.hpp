// A file that only grows, line by line. Complete lines survive any end of the process.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace duoblas {

class JournalFile {
 public:
  /// Opens `path`, or creates it (only its owner may read it), and locks it: two tunings cannot
  /// write one journal. \throws SettingError if it cannot be opened, is not a regular file of at
  /// most 256 MiB, or another process has locked it.
  explicit JournalFile(const std::string& path);
  ~JournalFile();
  JournalFile(const JournalFile&) = delete;
  JournalFile& operator=(const JournalFile&) = delete;

  /// The file was empty when it was opened.
  bool was_empty() const { return bytes_ == 0; }
  /// Removes what follows the last complete line. A line is written by one call, so only a dying
  /// process leaves half of one. Call it after the file was recognised as a journal.
  void repair();
  /// For a signal handler, which may write a line.
  int descriptor() const { return descriptor_; }

  /// The complete lines that the file had when it was opened.
  std::vector<std::string> take_lines() { return std::move(lines_); }

  /// `line` has no line break. \throws SettingError if the disk is full.
  void append(const std::string& line);

  /// Renames the file, with the suffix and a number if that name is taken, and begins a new, empty
  /// one. Returns the new name of the old file. \throws SettingError.
  std::string set_aside(const std::string& suffix);

 private:
  void open();
  void close();

  std::string path_;
  int descriptor_ = -1;
  std::int64_t bytes_ = 0;
  std::int64_t complete_bytes_ = 0;
  std::vector<std::string> lines_;
  std::chrono::steady_clock::time_point synced_{};
};

}  // namespace duoblas
