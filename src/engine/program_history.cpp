#include "engine/program_history.hpp"

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>
#include <system_error>

#include "cpu/cpu_limits.hpp"
#include "engine/caller_blas.hpp"
#include "engine/last_device.hpp"
#include "os/process.hpp"
#include "profile/profile_directory.hpp"

namespace duoblas {
namespace {

namespace files = std::filesystem;

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

std::string folder_of(const Settings& settings) {
  return settings.cache_dir.empty() ? std::string() : settings.cache_dir + "/programs";
}

ProgramHistory::Sums sums_of(const HistoryFile::Numbers& numbers) {
  if (numbers.size() != 8) return {};
  return {{numbers[0], numbers[1], numbers[2], numbers[3]},
          {numbers[4], numbers[5], numbers[6], numbers[7]}};
}

}  // namespace

ProgramHistory::ProgramHistory(const Settings& settings)
    : runs_(folder_of(settings)), sums_(folder_of(settings), "what outlays cost and returned") {
  if (settings.cache_dir.empty()) return;
  std::error_code error;
  // Another profile promises something else.
  machine_ = host_name() + '\n' + std::to_string(allowed_cores().size()) + '\n' +
             device_choice(settings) + '\n' +
             std::to_string(state_of_profiles(settings.profile_dir)) + '\n';
  // What its calls gain is against its own BLAS, which is not loaded yet.
  const std::string program = machine_ + blas_variables() + '\n' +
                              files::read_symlink("/proc/self/exe", error).string() + '\n';
  const std::string arguments = command_line(), script = script_of(arguments);
  program_ = "run of " + program + files::current_path(error).string() + '\n' + arguments;
  if (!script.empty()) script_ = "run of script " + program + script;
}

std::optional<ProgramWork> ProgramHistory::known(double start) const {
  const auto work_of = [&](const std::string& key) -> std::optional<ProgramWork> {
    constexpr std::size_t sums = 7, of_class = 3;
    const auto numbers = runs_.find(key);
    if (numbers.size() < sums) return std::nullopt;
    ProgramWork work{numbers[0], numbers[1], std::min(numbers[2], 1.0),       numbers[3],
                     numbers[4], numbers[5], std::clamp(numbers[6], 0.0, 1.0)};
    for (std::size_t i = sums; i + of_class <= numbers.size(); i += of_class)
      if (numbers[i] <= std::numeric_limits<std::uint32_t>::max())
        work.classes.push_back(
            {static_cast<std::uint32_t>(numbers[i]), numbers[i + 1], numbers[i + 2]});
    return work;
  };
  if (const auto work = work_of(program_)) return work;
  const auto work = work_of(script_);
  return work && work->gain > start ? work : std::nullopt;
}

std::vector<CallNumbers> ProgramHistory::calls() const {
  const auto numbers = runs_.find("calls of " + program_);
  std::vector<CallNumbers> calls(numbers.size() / CallNumbers().size());
  for (std::size_t i = 0; i < calls.size(); ++i)
    std::copy_n(&numbers[i * CallNumbers().size()], CallNumbers().size(), calls[i].begin());
  return calls;
}

void ProgramHistory::remember(const ProgramWork& work, const std::vector<KnownCall>& calls,
                              HistoryFile::Wait most_wait) const {
  HistoryFile::Numbers numbers = {work.seconds, work.gain,   work.promised, work.needs,
                                  work.beside,  work.missed, work.kept};
  for (const auto& [number, seconds, gain] : work.classes)
    numbers.insert(numbers.end(), {static_cast<double>(number), seconds, gain});
  HistoryFile::Numbers kept;
  for (const KnownCall& call : calls)
    if (work.find(call.of_class) != nullptr)
      kept.insert(kept.end(), call.numbers.begin(), call.numbers.end());
  runs_.store({{program_, numbers}, {script_, numbers}, {"calls of " + program_, kept}}, most_wait);
}

ProgramHistory::Sums ProgramHistory::sums() const {
  return sums_of(sums_.find(machine_));
}

void ProgramHistory::update(const std::function<void(Sums&)>& change,
                            HistoryFile::Wait most_wait) const {
  const auto changed = [&](const HistoryFile::Numbers& numbers) -> HistoryFile::Numbers {
    Sums sums = sums_of(numbers);
    change(sums);
    const auto& [ledger, costs] = sums;
    return {ledger.worked,     ledger.lost,  ledger.hopes, ledger.paid,
            costs.until_ready, costs.beside, costs.build,  costs.checks};
  };
  sums_.update(machine_, changed, most_wait);
}

}  // namespace duoblas
