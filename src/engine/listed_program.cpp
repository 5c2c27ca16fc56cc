#include "engine/listed_program.hpp"

#include <array>
#include <atomic>
#include <chrono>
#include <cinttypes>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <string_view>

#include "opencl/cache_file.hpp"
#include "os/file_descriptor.hpp"
#include "os/file_lock.hpp"
#include "os/files.hpp"

namespace duoblas {
namespace {

constinit std::atomic<const duoblas_program*> here{nullptr};

constexpr std::size_t digits = 16, line_bytes = digits + 1;

constexpr std::chrono::seconds most_wait(1);

std::string line_of(std::uint64_t number) {
  char text[line_bytes + 1];
  std::snprintf(text, sizeof text, "%016" PRIx64 "\n", number);
  return text;
}

bool has_salt(std::string_view text) {
  return text.size() >= line_bytes && text[digits] == '\n' &&
         text.find_first_not_of("0123456789abcdef") == digits;
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
  const std::string name = path.substr(path.rfind('/') + 1);
  const std::string path_of_folder = path.substr(0, path.rfind('/'));
  const cl::CacheDirectory folder(path_of_folder);
  if (!folder.usable()) return;
  // Ranks of a job end together. Where there are no locks, some of them are put on it another time.
  const FileDescriptor turn(open_file(path_of_folder, Opened::as_folder));
  (void)wait_for_lock(turn.get(), most_wait);
  std::string text = folder.text(name.c_str(), DUOBLAS_MOST_LISTED_BYTES);
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
  (void)folder.replace(name, std::array{std::string_view(text)});
} catch (const std::exception&) {
  // Memory is short: the list stays as it is.
}

}  // namespace duoblas
