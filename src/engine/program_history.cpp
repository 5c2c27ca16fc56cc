#include "engine/program_history.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <system_error>

#include "cpu/affinity.hpp"
#include "engine/learned_file.hpp"
#include "opencl/cache_file.hpp"

namespace duoblas {
namespace {

constexpr double longest = 60;

// Names of files and arguments are private: the file contains only a hash of its key, the same 128
// bits as its name.
std::string program_key() {
  char host[256] = {};
  (void)::gethostname(host, sizeof host - 1);
  std::error_code error;
  std::string text = std::string(host) + '\n' + std::to_string(allowed_cores().size()) + '\n' +
                     std::filesystem::read_symlink("/proc/self/exe", error).string() + '\n' +
                     std::filesystem::current_path(error).string() + '\n';
  std::ifstream arguments("/proc/self/cmdline", std::ios::binary);
  text.append(std::istreambuf_iterator<char>(arguments), {});
  return cl::cache_file_name(text);
}

}  // namespace

ProgramHistory::ProgramHistory(const std::string& cache_dir) {
  folder_ = learned_folder(cache_dir);
  if (folder_.empty()) return;
  key_ = "program " + program_key();
}

std::optional<KnownStart> ProgramHistory::known() const {
  if (folder_.empty()) return std::nullopt;
  std::string problem;
  const auto content = cl::CacheDirectory(folder_, problem).load(key_);
  const std::string text(content.begin(), content.end());
  const char* const end = text.data() + text.size();
  KnownStart start{-1, 0};
  const char* next = std::from_chars(text.data(), end, start.after).ptr;
  if (!(start.after >= 0 && start.after <= longest)) return std::nullopt;
  if (next != end) std::from_chars(next + 1, end, start.waited);
  if (!(start.waited >= 0 && std::isfinite(start.waited))) return std::nullopt;
  return start;
}

void ProgramHistory::remember(const KnownStart& start) const {
  if (folder_.empty()) return;
  std::array<char, 64> text;  // std::to_string() writes the locale's decimal comma
  char* const last = text.data() + text.size();
  const auto after = std::to_chars(text.data(), last - 1, start.after);
  if (after.ec != std::errc()) return;
  *after.ptr = ' ';
  const auto waited = std::to_chars(after.ptr + 1, last, start.waited);
  if (waited.ec != std::errc()) return;
  std::string problem;
  (void)cl::CacheDirectory(folder_, problem).store(key_, {text.data(), waited.ptr});
}

double start_after_a_start(std::optional<double> before, double usual) {
  if (!before) return std::min(2 * usual, longest);
  return *before <= 0 ? usual : std::min(2 * *before, longest);
}

}  // namespace duoblas
