// What doctor says of the environment: variables, threads, core types, folders.
#include <algorithm>
#include <cstdlib>
#include <optional>

#include <duoblas/error.hpp>

#include "cli/doctor/trouble.hpp"
#include "cli/manual/environment_entries.hpp"
#include "cli/text_table.hpp"
#include "cpu/core_type.hpp"
#include "cpu/cpu_limits.hpp"
#include "opencl/cache_file.hpp"
#include "os/file_status.hpp"

namespace duoblas::cli {
namespace {

namespace fs = std::filesystem;

constexpr const char* list_of_names = "\"duoblas man\" lists the names";

std::string value_of(const Environment& environment, const std::string& name) {
  const auto found = environment.find(name);
  return found == environment.end() ? "" : found->second;
}

bool is_setting(const std::string& name) {
  return std::ranges::any_of(environment_entries,
                             [&](const VariableEntry& entry) { return name == entry.name; });
}

// Of an error that is about a setting: "DUOBLAS_SPLIT=17/16 is not understood".
std::string variable_of(const std::string& what) {
  if (what.starts_with("DUOBLAS_")) return what.substr(0, what.find('='));
  return what.starts_with("core list") ? "DUOBLAS_CPU_CORES" : "DUOBLAS_STANDIN";
}

// The folder itself, or the nearest one above it that is there.
fs::path nearest_there(const fs::path& named) {
  std::error_code failed;
  fs::path folder = fs::absolute(named, failed);
  while (!fs::exists(folder, failed) && folder.has_relative_path()) folder = folder.parent_path();
  return folder;
}

// A folder that cannot be written to. Of one that is not there yet those above it stay as they are.
Trouble unwritable(const std::string& variable, const std::string& folder, const fs::path& nearest,
                   const std::string& loss) {
  std::error_code failed;
  const std::string other = "    # or another " + variable;
  if (!fs::is_directory(nearest, failed))
    return {Weight::slows,
            folder + " cannot be made, since " + nearest.string() + " is no folder: " + loss,
            "export " + variable + "=..."};
  if (fs::exists(folder, failed))
    return {Weight::slows, folder + " cannot be written to: " + loss,
            "sudo chown -R $USER " + folder + other};
  return {Weight::slows,
          folder + " cannot be made, since " + nearest.string() + " cannot be written to: " + loss,
          "sudo install -d -m 700 -o $USER " + folder + other};
}

}  // namespace

std::vector<Trouble> unknown_variables(const Environment& environment) {
  std::vector<Trouble> troubles;
  for (const auto& [name, value] : environment) {
    // The others are of its tests.
    if (!name.starts_with("DUOBLAS_") || is_setting(name) || name.starts_with("DUOBLAS_TEST_") ||
        name.starts_with("DUOBLAS_LAYER_"))
      continue;
    troubles.push_back({Weight::slows,
                        name + "=" + value + " does nothing: no setting has that name",
                        "unset " + name + " (" + list_of_names + ")"});
  }
  return troubles;
}

std::vector<Trouble> settings_without_gpu(const Settings& settings) {
  if (settings.strategy == Strategy::cpu)
    return {{Weight::no_gpu, "DUOBLAS_STRATEGY=cpu leaves every product to the CPU",
             "unset DUOBLAS_STRATEGY"}};
  if (settings.split && settings.split->gpu_parts == 0)
    return {{Weight::no_gpu, "DUOBLAS_SPLIT leaves the GPU nothing", "unset DUOBLAS_SPLIT"}};
  return {};
}

Settings readable_settings(std::vector<Trouble>& troubles) {
  for (;;) {
    try {
      Settings settings = Settings::from_environment();
      const CpuLimits limits = cpu_limits(settings.cpu_cores, settings.cpu_threads);
      if (settings.standin) standin_halves(limits);
      return settings;
    } catch (const SettingError& error) {
      const std::string what = error.what(), name = variable_of(what);
      troubles.push_back(
          {Weight::breaks, what + "; until then the CPU does every product", "unset " + name});
      if (troubles.size() > 2 * environment_entries.size() || ::unsetenv(name.c_str()) != 0) throw;
    }
  }
}

std::vector<Trouble> thread_limits(const Environment& environment, int cores,
                                   const fs::path& root) {
  std::vector<Trouble> troubles;
  for (const char* name : {"OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"}) {
    const std::string value = value_of(environment, name);
    const int threads = std::atoi(value.c_str());
    if (threads < 1 || threads >= cores) continue;
    troubles.push_back({Weight::slows,
                        std::string(name) + "=" + value + " leaves the CPU side " +
                            std::to_string(threads) + " of " + std::to_string(cores) + " cores",
                        std::string("unset ") + name});
  }
  const std::optional<int> quota = cgroup_cpu_quota(root.string());
  if (quota && *quota < cores)
    troubles.push_back({Weight::tells,
                        "this container may use the time of " + std::to_string(*quota) + " of " +
                            std::to_string(cores) + " cores",
                        "docker run --cpus " + std::to_string(cores) + " ..."});
  return troubles;
}

std::vector<Trouble> core_types(const Environment& environment,
                                const std::vector<SlowChoice>& slow) {
  const std::string chosen = value_of(environment, "OPENBLAS_CORETYPE");
  std::vector<Trouble> troubles;
  if (!chosen.empty()) {
    const std::string better = better_core_type(chosen, vector_extensions());
    if (!better.empty())
      troubles.push_back({Weight::slows,
                          "OPENBLAS_CORETYPE=" + chosen + " leaves this processor's vectors unused",
                          "export OPENBLAS_CORETYPE=" + better});
    return troubles;
  }
  for (const SlowChoice& choice : slow)
    troubles.push_back({Weight::slows,
                        choice.library + " takes core type " + choice.chosen + " where " +
                            choice.better + " was " + fixed(choice.times, 2) +
                            " times as fast: programs that call it are slow without DuoBLAS too",
                        "export OPENBLAS_CORETYPE=" + choice.better +
                            "    # \"duoblas run\" does that by itself"});
  return troubles;
}

std::vector<Trouble> unwritable_folders(const Settings& settings) {
  std::vector<Trouble> troubles;
  std::error_code failed;
  const auto look_at = [&](const char* variable, const std::string& folder, const char* loss) {
    if (folder.empty()) {
      troubles.push_back({Weight::slows,
                          std::string(variable) + " is unset, and so is HOME: " + loss,
                          "export HOME=..."});
      return;
    }
    const fs::path nearest = nearest_there(folder);
    if (!fs::is_directory(nearest, failed) || !may_use_folder(nearest))
      troubles.push_back(unwritable(variable, folder, nearest, loss));
  };
  look_at("DUOBLAS_CACHE_DIR", settings.cache_dir,
          "kernels are compiled and tried in each program anew");
  if (std::string problem; fs::is_directory(settings.cache_dir, failed)) {
    cl::CacheDirectory(settings.cache_dir, problem);
    if (!problem.empty())
      troubles.push_back({Weight::slows, problem, "chmod go-w " + settings.cache_dir});
  }
  look_at("DUOBLAS_PROFILE_DIR", settings.profile_dir, "no tuning can be stored");
  return troubles;
}

}  // namespace duoblas::cli
