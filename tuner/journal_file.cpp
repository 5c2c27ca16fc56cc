#include "tuner/journal_file.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include <duoblas/error.hpp>

#include "os/file_descriptor.hpp"

namespace duoblas {
namespace {

constexpr off_t max_bytes = off_t{256} << 20;
// A power failure may cost what was measured in this time; a write to disk per line would take
// longer than many of the calls that are measured.
constexpr std::chrono::seconds between_syncs{1};

[[noreturn]] void fail(const std::string& path, const std::string& what) {
  throw SettingError("cannot " + what + " the journal of tuning " + path + ": " +
                     std::strerror(errno));
}

std::string text_of(int descriptor, off_t bytes, const std::string& path) {
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
  ::fdatasync(descriptor_);
  ::close(descriptor_);
  descriptor_ = -1;
}

void JournalFile::open() {
  // O_NONBLOCK: a pipe of that name must not make the opener wait.
  descriptor_ = ::open(path_.c_str(),
                       O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0600);
  if (descriptor_ < 0) fail(path_, "open");
  struct stat status = {};
  if (::fstat(descriptor_, &status) != 0) fail(path_, "read");
  if (!S_ISREG(status.st_mode) || status.st_size > max_bytes) {
    close();
    throw SettingError("the journal of tuning " + path_ +
                       " is not a regular file of at most 256 MiB: move it away");
  }
  // Where the file system knows no locks, it is anyone's.
  if (::flock(descriptor_, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
    close();
    throw SettingError("another tuning writes the journal " + path_ +
                       ": wait for it, or give another --journal");
  }
  const std::string text = text_of(descriptor_, status.st_size, path_);
  bytes_ = static_cast<std::int64_t>(text.size());
  std::size_t begin = 0;
  for (std::size_t end; (end = text.find('\n', begin)) != std::string::npos; begin = end + 1)
    lines_.push_back(text.substr(begin, end - begin));
  complete_bytes_ = static_cast<std::int64_t>(begin);
}

void JournalFile::repair() {
  if (complete_bytes_ < bytes_ && ::ftruncate(descriptor_, complete_bytes_) != 0)
    fail(path_, "repair");
}

void JournalFile::append(const std::string& line) {
  const std::string text = line + '\n';
  if (!write_all(descriptor_, text.data(), text.size())) fail(path_, "write");
  const auto now = std::chrono::steady_clock::now();
  if (now - synced_ < between_syncs) return;
  ::fdatasync(descriptor_);
  synced_ = std::chrono::steady_clock::now();
}

std::string JournalFile::set_aside(const std::string& suffix) {
  std::string kept = path_ + suffix;
  for (int number = 2; ::access(kept.c_str(), F_OK) == 0; ++number)
    kept = path_ + suffix + "." + std::to_string(number);
  if (::rename(path_.c_str(), kept.c_str()) != 0) fail(path_, "move");
  close();
  lines_.clear();
  open();
  return kept;
}

}  // namespace duoblas
