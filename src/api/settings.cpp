// The only reader of the environment.
#include <duoblas/settings.hpp>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <limits>
#include <string_view>

#include <duoblas/error.hpp>

#include "api/launched_rank.hpp"
#include "os/process.hpp"

namespace duoblas {
namespace {

// Variables name files and libraries to load. So a set-user-ID program ignores them.
std::string variable(const char* name) {
  const char* value = ::secure_getenv(name);
  return value == nullptr ? std::string() : std::string(value);
}

// OpenCL's loader and drivers load libraries, and write to folders, that variables name: not with
// more rights than those of whoever set them.
bool has_more_rights() {
  return has_others_rights();
}

[[noreturn]] void reject(const char* name, const std::string& value, const char* accepted) {
  throw SettingError(std::string(name) + "=" + value + " is not understood: give " + accepted);
}

bool parse_integer(std::string_view text, int& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size();
}

Strategy strategy_setting() {
  const std::string value = variable("DUOBLAS_STRATEGY");
  for (const Strategy s : {Strategy::automatic, Strategy::cpu, Strategy::gpu, Strategy::hybrid}) {
    if (value == name(s)) return s;
  }
  if (!value.empty()) reject("DUOBLAS_STRATEGY", value, "auto, cpu, gpu or hybrid");
  return Strategy::automatic;
}

std::optional<Share> split_setting() {
  const std::string value = variable("DUOBLAS_SPLIT");
  if (value.empty()) return {};
  const auto slash = value.find('/');
  Share share;
  const std::string_view text = value;
  const bool parsed = slash != std::string::npos &&
                      parse_integer(text.substr(0, slash), share.gpu_parts) &&
                      parse_integer(text.substr(slash + 1), share.parts);
  if (!parsed || !is_valid(share)) {
    reject("DUOBLAS_SPLIT", value, "p_g/P with 1 <= P <= 1024 and 0 <= p_g <= P, e.g. 10/16");
  }
  return share;
}

bool flag(const char* name, bool by_default = false) {
  const std::string value = variable(name);
  if (value.empty()) return by_default;
  if (value != "0" && value != "1") reject(name, value, "0 or 1");
  return value == "1";
}

// 1: a table; by rank: one for each.
bool summary_setting(bool& by_rank) {
  by_rank = variable("DUOBLAS_SUMMARY") == "rank";
  return by_rank || flag("DUOBLAS_SUMMARY");
}

int verbose_setting() {
  const std::string value = variable("DUOBLAS_VERBOSE");
  int level = 0;
  if (!value.empty() && (!parse_integer(value, level) || level < 0 || level > 2)) {
    reject("DUOBLAS_VERBOSE", value, "0, 1 or 2");
  }
  return level;
}

// Other libraries accept lists and blanks in these; only a plain positive number is a bound.
int threads_of_others() {
  int bound = 0;
  for (const char* name : {"OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"}) {
    int threads = 0;
    const std::string value = variable(name);
    if (parse_integer(value, threads) && threads > 0) {
      bound = bound == 0 ? threads : std::min(bound, threads);
    }
  }
  return bound;
}

std::string directory(const char* name, const char* xdg, const char* below_home) {
  if (const std::string given = variable(name); !given.empty()) return given;
  if (const std::string base = variable(xdg); !base.empty()) return base + "/duoblas";
  if (const std::string home = variable("HOME"); !home.empty()) {
    return home + below_home + "/duoblas";
  }
  return {};
}

// A whole number with K, M, G or T for powers of 1024.
std::size_t device_memory_setting() {
  const std::string value = variable("DUOBLAS_DEVICE_MEMORY");
  if (value.empty()) return 0;
  constexpr std::size_t least = std::size_t{64} << 10;
  constexpr std::string_view units = "KMGT";
  std::size_t count = 0;
  const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), count);
  std::string_view rest(end, static_cast<std::size_t>(value.data() + value.size() - end));
  const std::size_t unit = rest.size() == 1 ? units.find(rest.front()) : units.npos;
  const std::size_t shift = unit == units.npos ? 0 : 10 * (unit + 1);
  const bool understood = error == std::errc() && (rest.empty() || unit != units.npos) &&
                          count <= std::numeric_limits<std::size_t>::max() >> shift;
  if (!understood || count << shift < least) {
    reject("DUOBLAS_DEVICE_MEMORY", value, "bytes, or a number with K, M, G or T: 64K at least");
  }
  return count << shift;
}

// "rank:1/4" in the place of a device: whoever starts several processes without a launcher says it.
// "rank" alone: as the launcher counted.
Rank rank_setting(std::string& device) {
  const std::string value = device;
  Rank rank = launched_rank(variable);
  if (!value.starts_with("rank")) return rank;
  device.clear();
  const auto slash = value.find('/');
  if (value == "rank") return rank;
  const std::string_view text = value;
  const bool understood = text.starts_with("rank:") && slash != std::string::npos &&
                          parse_integer(text.substr(5, slash - 5), rank.number) &&
                          parse_integer(text.substr(slash + 1), rank.on_host) && rank.number >= 0 &&
                          rank.number < rank.on_host;
  if (!understood) reject("DUOBLAS_DEVICE", value, "rank, or rank:NUMBER/COUNT, e.g. rank:0/4");
  rank.in_job = std::max(rank.in_job, rank.on_host);
  // They are of one job if one process started them.
  if (rank.is_of_many() && rank.job.empty())
    rank.job = "parent " + std::to_string(parent_process_id());
  return rank;
}

std::optional<int> count_setting(const char* name, const char* accepted) {
  const std::string value = variable(name);
  if (value.empty()) return {};
  int count = 0;
  if (!parse_integer(value, count) || count < 0) reject(name, value, accepted);
  return count;
}

MathMode math_setting() {
  const std::string math = variable("DUOBLAS_MATH");
  if (math == "tf32x3") return MathMode::tf32x3;
  if (!math.empty() && math != "exact") reject("DUOBLAS_MATH", math, "exact or tf32x3");
  return MathMode::exact;
}

Fp64Mode fp64_setting() {
  const std::string fp64 = variable("DUOBLAS_FP64");
  if (fp64 == "native") return Fp64Mode::native;
  if (fp64 == "integers") return Fp64Mode::integers;
  if (!fp64.empty() && fp64 != "auto") reject("DUOBLAS_FP64", fp64, "auto, native or integers");
  return Fp64Mode::automatic;
}

bool history_setting() {
  const std::string history = variable("DUOBLAS_HISTORY");
  if (!history.empty() && history != "on" && history != "off")
    reject("DUOBLAS_HISTORY", history, "on or off");
  return history != "off";
}

CheckMode check_setting() {
  const std::string check = variable("DUOBLAS_CHECK");
  if (check == "off") return CheckMode::off;
  if (check == "always") return CheckMode::always;
  if (!check.empty() && check != "sampled")
    reject("DUOBLAS_CHECK", check, "off, sampled or always");
  return CheckMode::sampled;
}

}  // namespace

Settings Settings::from_environment() {
  Settings settings;
  settings.strategy = strategy_setting();
  settings.split = split_setting();
  settings.math = math_setting();
  settings.fp64 = fp64_setting();
  settings.check = check_setting();
  settings.device = has_more_rights() ? "none" : variable("DUOBLAS_DEVICE");
  settings.rank = rank_setting(settings.device);
  settings.profile_dir = directory("DUOBLAS_PROFILE_DIR", "XDG_CONFIG_HOME", "/.config");
  settings.cache_dir = directory("DUOBLAS_CACHE_DIR", "XDG_CACHE_HOME", "/.cache");
  settings.kernel_dir = variable("DUOBLAS_KERNEL_DIR");
  settings.cpu_blas = variable("DUOBLAS_CPU_BLAS");
  settings.cpu_cores = variable("DUOBLAS_CPU_CORES");
  settings.cpu_threads = threads_of_others();
  settings.standin = flag("DUOBLAS_STANDIN");
  settings.adapt = flag("DUOBLAS_ADAPT", !settings.rank.is_of_many());
  settings.start_ms = count_setting(
      "DUOBLAS_START_MS", "milliseconds that calls take before the device is started, or 0");
  settings.summary = summary_setting(settings.summary_by_rank);
  settings.history = history_setting();
  settings.device_memory = device_memory_setting();
  settings.launch_ms = count_setting(
      "DUOBLAS_LAUNCH_MS", "milliseconds that a kernel launch may take, or 0 for any time");
  settings.gpu_deadline =
      count_setting("DUOBLAS_GPU_DEADLINE", "seconds to wait for the GPU, or 0 for any time");
  settings.verbose = verbose_setting();
  return settings;
}

}  // namespace duoblas
