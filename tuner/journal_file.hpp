// A file that only grows, line by line: whatever ends the process, complete lines stay.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

namespace duoblas {

class JournalFile {
 public:
  /// Opens `path`, made where it is missing (only its owner may read it); what follows the last
  /// complete line is cut off, since a line is written by one call and only a dying process leaves
  /// half of one. \throws SettingError where it cannot be opened or is no regular file of at most
  /// 256 MiB.
  explicit JournalFile(const std::string& path);
  ~JournalFile();
  JournalFile(const JournalFile&) = delete;
  JournalFile& operator=(const JournalFile&) = delete;

  /// The lines that were there when it was opened.
  std::vector<std::string> take_lines() { return std::move(lines_); }

  /// `line` has no line break. \throws SettingError where the disk is full.
  void append(const std::string& line);

  /// Another name for the file, by which it is kept; a new and empty one takes its place. Returns
  /// that name. \throws SettingError.
  std::string set_aside(const std::string& suffix);

 private:
  void open();
  void close();

  std::string path_;
  int descriptor_ = -1;
  std::vector<std::string> lines_;
  std::chrono::steady_clock::time_point synced_{};
};

}  // namespace duoblas
