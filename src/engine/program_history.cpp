#include "engine/program_history.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
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

std::optional<double> ProgramHistory::start_after() const {
  if (folder_.empty()) return std::nullopt;
  std::string problem;
  const auto content = cl::CacheDirectory(folder_, problem).load(key_);
  const std::string text(content.begin(), content.end());
  double seconds = -1;
  std::from_chars(text.data(), text.data() + text.size(), seconds);
  if (!(seconds >= 0 && seconds <= longest)) return std::nullopt;
  return seconds;
}

void ProgramHistory::remember(double start_after) const {
  if (folder_.empty()) return;
  std::array<char, 32> text;  // std::to_string() writes the locale's decimal comma
  const auto [end, error] = std::to_chars(text.data(), text.data() + text.size(), start_after);
  if (error != std::errc()) return;
  std::string problem;
  (void)cl::CacheDirectory(folder_, problem).store(key_, {text.data(), end});
}

double start_after_a_start(std::optional<double> before, double usual) {
  if (!before) return std::min(2 * usual, longest);
  return *before <= 0 ? usual : std::min(2 * *before, longest);
}

}  // namespace duoblas
