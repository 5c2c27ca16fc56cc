#include "engine/listed_program.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cinttypes>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <string_view>

#include "opencl/cache_file.hpp"
#include "opencl/signals_kept.hpp"
#include "os/file_descriptor.hpp"

namespace duoblas {
namespace {

constinit std::atomic<const duoblas_program*> here{nullptr};

constexpr std::size_t digits = 16, line_bytes = digits + 1;

std::string line_of(std::uint64_t number) {
  char text[line_bytes + 1];
  std::snprintf(text, sizeof text, "%016" PRIx64 "\n", number);
  return text;
}

// Empty, too, where the shim would not read it.
std::string content_of(const std::string& path) {
  const FileDescriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  struct stat about {};
  if (file.get() < 0 || ::fstat(file.get(), &about) != 0 || !S_ISREG(about.st_mode) ||
      about.st_uid != ::geteuid() || (about.st_mode & (S_IWGRP | S_IWOTH)) != 0)
    return {};
  std::string text(DUOBLAS_MOST_LISTED_BYTES, '\0');
  text.resize(static_cast<std::size_t>(
      std::max<ssize_t>(0, read_all(file.get(), text.data(), text.size()))));
  return text;
}

bool has_salt(std::string_view text) {
  return text.size() >= line_bytes && text[digits] == '\n' &&
         text.find_first_not_of("0123456789abcdef") == digits;
}

// Replaces the file at once. False: it is as it was.
bool replaced(const std::string& path, std::string_view text) {
  const cl::FileSizeSignalBlocked fails_at_a_limit;
  const std::string other = path + '.' + std::to_string(::getpid());
  (void)::unlink(other.c_str());  // of a process that was ended while it wrote
  const FileDescriptor file(
      ::open(other.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600));
  const bool written = file.get() >= 0 && write_all(file.get(), text.data(), text.size());
  if (written && ::rename(other.c_str(), path.c_str()) == 0) return true;
  if (file.get() >= 0) ::unlink(other.c_str());
  return false;
}

}  // namespace

void note_program(const duoblas_program* program) noexcept {
  const duoblas_program* none = nullptr;
  here.compare_exchange_strong(none, program);
}

void list_program(const std::string& cache_dir, bool is_listed) noexcept try {
  const duoblas_program* const program = here.load();
  if (program == nullptr || program->key == 0 || cache_dir.empty()) return;
  const std::string path = cache_dir + "/" DUOBLAS_PROGRAM_LIST;
  std::string problem;
  const cl::CacheDirectory folder(path.substr(0, path.rfind('/')), problem);
  if (!folder.usable()) return;
  std::string text = content_of(path);
  if (!has_salt(text)) text = line_of(program->salt);
  // The list was begun by another process meanwhile.
  if (!text.starts_with(line_of(program->salt))) return;
  const std::string own = line_of(program->key);
  const auto at = text.find(own, line_bytes);
  if (is_listed == (at != std::string::npos)) return;
  if (at != std::string::npos) {
    text.erase(at, line_bytes);
  } else {
    if (program->is_unchanged() == 0) return;
    text += own;
  }
  while (text.size() > DUOBLAS_MOST_LISTED_BYTES) text.erase(line_bytes, line_bytes);
  (void)replaced(path, text);
} catch (const std::exception&) {
  // Memory is short: the list stays as it is.
}

}  // namespace duoblas
