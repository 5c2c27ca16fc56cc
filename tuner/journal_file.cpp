#include "tuner/journal_file.hpp"

#include <cerrno>
#include <cstring>

#include <duoblas/error.hpp>

#include "os/file_descriptor.hpp"
#include "os/file_lock.hpp"
#include "os/file_status.hpp"
#include "os/files.hpp"

namespace duoblas {
namespace {

constexpr std::uint64_t max_bytes = std::uint64_t{256} << 20;
// A power failure may cost what was measured in this time; a write to disk per line would take
// longer than many of the calls that are measured.
constexpr std::chrono::seconds between_syncs{1};

[[noreturn]] void fail(const std::string& path, const std::string& what) {
  throw SettingError("cannot " + what + " the journal of tuning " + path + ": " +
                     std::strerror(errno));
}

std::string text_of(int descriptor, std::uint64_t bytes, const std::string& path) {
  std::string text(static_cast<std::size_t>(bytes), '\0');
  const ssize_t have = read_all(descriptor, text.data(), text.size());
  if (have < 0) fail(path, "read");
  text.resize(static_cast<std::size_t>(have));
  return text;
}

}  // namespace

JournalFile::JournalFile(const std::string& path) : path_(path) {
  open();
}

JournalFile::~JournalFile() {
  close();
}

void JournalFile::close() {
  if (descriptor_ < 0) return;
  flush_content(descriptor_);
  close_file(descriptor_);
  descriptor_ = -1;
}

void JournalFile::open() {
  descriptor_ = open_file(path_, Opened::to_append);
  if (descriptor_ < 0) fail(path_, "open");
  const auto status = file_status(descriptor_);
  if (!status) fail(path_, "read");
  if (!status->is_regular || status->bytes > max_bytes) {
    close();
    throw SettingError("the journal of tuning " + path_ +
                       " is not a regular file of at most 256 MiB: move it away");
  }
  // Where the file system knows no locks, it is anyone's.
  if (try_lock(descriptor_) == LockAttempt::held_by_another) {
    close();
    throw SettingError("another tuning writes the journal " + path_ +
                       ": wait for it, or give another --journal");
  }
  const std::string text = text_of(descriptor_, status->bytes, path_);
  bytes_ = static_cast<std::int64_t>(text.size());
  std::size_t begin = 0;
  for (std::size_t end; (end = text.find('\n', begin)) != std::string::npos; begin = end + 1)
    lines_.push_back(text.substr(begin, end - begin));
  complete_bytes_ = static_cast<std::int64_t>(begin);
}

void JournalFile::repair() {
  if (complete_bytes_ < bytes_ && !shorten_file(descriptor_, complete_bytes_))
    fail(path_, "repair");
}

void JournalFile::append(const std::string& line) {
  const std::string text = line + '\n';
  if (!write_all(descriptor_, text.data(), text.size())) fail(path_, "write");
  const auto now = std::chrono::steady_clock::now();
  if (now - synced_ < between_syncs) return;
  flush_content(descriptor_);
  synced_ = std::chrono::steady_clock::now();
}

std::string JournalFile::set_aside(const std::string& suffix) {
  std::string kept = path_ + suffix;
  for (int number = 2; may(FileRight::see, kept); ++number)
    kept = path_ + suffix + "." + std::to_string(number);
  if (!rename_file(path_, kept)) fail(path_, "move");
  close();
  lines_.clear();
  open();
  return kept;
}

}  // namespace duoblas
