// A file that only grows, line by line: whatever ends the process, complete lines stay.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

namespace duoblas {

class JournalFile {
 public:
  /// Opens `path`, made where it is missing (only its owner may read it), and holds it: two tunings
  /// cannot write one journal. \throws SettingError where it cannot be opened, is no regular file
  /// of at most 256 MiB, or another process holds it.
  explicit JournalFile(const std::string& path);
  ~JournalFile();
  JournalFile(const JournalFile&) = delete;
  JournalFile& operator=(const JournalFile&) = delete;

  /// Nothing at all was there when it was opened.
  bool was_empty() const { return bytes_ == 0; }
  /// Cuts off what follows the last complete line: a line is written by one call, and only a dying
  /// process leaves half of one. To be called once it is known that the file is a journal.
  void repair();
  /// For a signal's handler, which may write a line.
  int descriptor() const { return descriptor_; }

  /// The complete lines that were there when it was opened.
  std::vector<std::string> take_lines() { return std::move(lines_); }

  /// `line` has no line break. \throws SettingError where the disk is full.
  void append(const std::string& line);

  /// Another name for the file, by which it is kept, the suffix and a number where that is taken; a
  /// new and empty one takes its place. Returns that name. \throws SettingError.
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
