#include "engine/program_history.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <system_error>

#include "cpu/affinity.hpp"
#include "engine/last_device.hpp"
#include "engine/learned_file.hpp"
#include "opencl/cache_file.hpp"

namespace duoblas {
namespace {

namespace files = std::filesystem;

using Numbers = std::array<double, 3>;

// The arguments, each ended by a zero.
std::string command_line() {
  std::ifstream file("/proc/self/cmdline", std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

// The first argument that is no option, if it is a file's name; else empty.
std::string script_of(const std::string& arguments) {
  std::error_code error;
  for (std::size_t at = arguments.find('\0'); at + 1 < arguments.size();
       at = arguments.find('\0', at + 1)) {
    const std::string argument = arguments.c_str() + at + 1;
    if (argument.starts_with('-')) continue;
    return files::is_regular_file(argument, error) ? files::absolute(argument, error).string()
                                                   : std::string();
  }
  return {};
}

// Names of files and arguments are private: a file contains only a hash of its key, the same 128
// bits as its name.
std::string key_of(const std::string& kind, const std::string& what) {
  return kind + ' ' + cl::cache_file_name(what);
}

std::string text_of(const Numbers& numbers) {
  std::string text;
  for (const double number : numbers) {
    std::array<char, 32> digits;  // std::to_string() writes the locale's decimal comma
    const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), number);
    text.append(digits.data(), end.ptr) += ' ';
  }
  return text;
}

std::optional<Numbers> numbers_of(const std::string& folder, const std::string& key) {
  if (folder.empty() || key.empty()) return std::nullopt;
  std::string problem;
  const auto content = cl::CacheDirectory(folder, problem).load(key);
  const std::string text(content.begin(), content.end());
  const char *next = text.data(), *const end = next + text.size();
  Numbers numbers;
  for (double& number : numbers) {
    const auto read = std::from_chars(next, end, number);
    if (read.ec != std::errc() || read.ptr == end || *read.ptr != ' ') return std::nullopt;
    if (!(number >= 0) || !std::isfinite(number)) return std::nullopt;
    next = read.ptr + 1;
  }
  return numbers;
}

void store(const std::string& folder, const std::string& key, const Numbers& numbers) {
  if (folder.empty() || key.empty()) return;
  const std::string text = text_of(numbers);
  std::string problem;
  (void)cl::CacheDirectory(folder, problem).store(key, {text.begin(), text.end()});
}

}  // namespace

ProgramHistory::ProgramHistory(const Settings& settings) {
  folder_ = learned_folder(settings.cache_dir);
  if (folder_.empty()) return;
  char host[256] = {};
  (void)::gethostname(host, sizeof host - 1);
  std::error_code error;
  // Another profile promises something else.
  const auto tuned = files::last_write_time(settings.profile_dir, error).time_since_epoch().count();
  const std::string machine = std::string(host) + '\n' + std::to_string(allowed_cores().size()) +
                              '\n' + device_choice(settings) + '\n' + std::to_string(tuned) + '\n';
  const std::string program =
      machine + files::read_symlink("/proc/self/exe", error).string() + '\n';
  const std::string arguments = command_line(), script = script_of(arguments);
  machine_ = key_of("starts", machine);
  program_ = key_of("program", program + files::current_path(error).string() + '\n' + arguments);
  if (!script.empty()) script_ = key_of("script", program + script);
}

std::optional<ProgramWork> ProgramHistory::known(const StartCost& cost) const {
  const auto work_of = [&](const std::string& key) -> std::optional<ProgramWork> {
    const auto numbers = numbers_of(folder_, key);
    if (!numbers) return std::nullopt;
    return ProgramWork{(*numbers)[0], (*numbers)[1], std::min((*numbers)[2], 1.0)};
  };
  if (const auto work = work_of(program_)) return work;
  const auto work = work_of(script_);
  return work && work->gain > cost.lost() ? work : std::nullopt;
}

void ProgramHistory::remember(const ProgramWork& work) const {
  for (const std::string* key : {&program_, &script_})
    store(folder_, *key, {work.seconds, work.gain, work.rate});
}

ProgramHistory::Starts ProgramHistory::starts() const {
  Starts starts;
  if (const auto numbers = numbers_of(folder_, machine_))
    starts = {{(*numbers)[0], (*numbers)[1]}, {(*numbers)[2]}};
  return starts;
}

void ProgramHistory::remember(const Starts& starts) const {
  store(folder_, machine_, {starts.ledger.worked, starts.ledger.lost, starts.cost.until_ready});
}

}  // namespace duoblas
