#include "cli/json_file.hpp"

#include <cerrno>
#include <cstring>
#include <ctime>
#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>

#include <duoblas/duoblas.h>
#include <duoblas/error.hpp>

#include "cpu/topology.hpp"

namespace duoblas::cli {
namespace {

nlohmann::json to_json(const CpuConfig& config) {
  return {{"core_type", config.core_type},
          {"threads", config.threads},
          {"cores", config.cores},
          {"tiles", config.tiles}};
}

nlohmann::json to_json(const CpuConfigs& configs) {
  nlohmann::json document;
  for (const Precision precision : all_precisions) {
    document[std::string(1, letter(precision))] = to_json(configs[precision_index(precision)]);
  }
  return document;
}

nlohmann::json device_json(Engine& engine) {
  const GpuSide* gpu = engine.gpu();
  if (gpu == nullptr) return nullptr;
  const cl::DeviceInfo& info = gpu->info();
  return {{"index", info.index},
          {"name", info.name},
          {"platform", info.platform},
          {"driver", info.driver_version},
          {"is_gpu", info.is_gpu},
          {"compute_units", info.compute_units},
          {"sharing", name(gpu->best_sharing())}};
}

// Empty where they are multiplied by units of their own, or not at all.
std::string way_of_doubles(const PlanMachine& machine) {
  if (!machine.device.multiplies_by_integers(Precision::d)) return "";
  return machine.by_integers.is_tuned() ? "by integers, tuned on this machine"
                                        : "by integers, not tuned";
}

}  // namespace

nlohmann::json context_json(Engine& engine) {
  const PlanMachine& machine = engine.machine();
  return {{"version", duoblas_version()},
          {"date", utc_now()},
          {"standin", engine.settings().standin},
          {"device", device_json(engine)},
          {"device_problem", engine.facts().gpu_problem()},
          {"cpu_model", topology().cpu_model},
          {"cpu_blas", engine.cpu().description(machine.cpu_for(Precision::d))},
          {"cpu", to_json(machine.cpu)},
          {"cpu_all", to_json(machine.cpu_all)},
          {"tuned", machine.is_tuned()},
          {"profile", machine.profile ? title(*machine.profile) : ""},
          {"profile_problem", engine.facts().profile_problem()},
          {"doubles", way_of_doubles(machine)},
          {"profile_match", name(machine.profile ? machine.match : ProfileMatch::none)}};
}

void write_json(const std::string& path, const nlohmann::json& document) {
  // Names come from drivers. Bytes that are no UTF-8 are replaced.
  write_text(path, document.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n");
}

void write_text(const std::string& path, const std::string& text) {
  if (path == "-") {
    std::cout << text << std::flush;
    return;
  }
  errno = 0;
  std::ofstream file(path);
  file << text;
  file.close();
  if (!file) throw Error("cannot write " + path + ": " + std::strerror(errno));
}

std::string utc_now() {
  const std::time_t now = std::time(nullptr);
  std::tm utc = {};
  ::gmtime_r(&now, &utc);
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &utc);
  return text;
}

}  // namespace duoblas::cli
