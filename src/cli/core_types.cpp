#include "cli/core_types.hpp"

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>

#include <duoblas/error.hpp>

#include "cli/text_table.hpp"
#include "cpu/topology.hpp"
#include "os/file_status.hpp"
#include "profile/profile.hpp"
#include "profile/profile_directory.hpp"

namespace duoblas::cli {
namespace {

// Differences under this are noise on a shared machine (clock drift alone is up to 2 %).
constexpr double kWorthSaying = 1.05;

const CoreTypeFinding& fastest(const std::vector<CoreTypeFinding>& findings,
                               double CoreTypeFinding::*gflops) {
  return *std::max_element(
      findings.begin(), findings.end(),
      [=](const CoreTypeFinding& x, const CoreTypeFinding& y) { return x.*gflops < y.*gflops; });
}

std::optional<nlohmann::json> identity_of(const std::string& library) {
  const auto file = file_status(library);
  if (!file) return std::nullopt;
  return nlohmann::json{{"size", file->bytes},
                        {"changed", file->changed},
                        {"changed_ns", file->changed_nanoseconds},
                        {"cpu", topology().cpu_model}};
}

// {path: {identity, types}}; what cannot be read is forgotten.
nlohmann::json remembered(const std::string& folder) {
  std::ifstream file(core_types_file(folder));
  const auto all = nlohmann::json::parse(file, nullptr, false);
  return all.is_object() ? all : nlohmann::json::object();
}

void store(const std::string& folder, const nlohmann::json& all) {
  make_profile_directory(folder);
  constexpr auto replace = nlohmann::json::error_handler_t::replace;
  replace_profile_file(core_types_file(folder), all.dump(2, ' ', false, replace) + '\n');
}

double worth(const nlohmann::json& type, const nlohmann::json& own) {
  const auto times = [&](const char* rate) {
    return type.at(rate).get<double>() / own.at(rate).get<double>();
  };
  return (times("sgemm") + times("dgemm")) / 2;
}

std::optional<SlowChoice> slow_choice(const std::string& library, const nlohmann::json& entry) {
  const auto identity = identity_of(library);
  if (!identity || entry.at("identity") != *identity) return std::nullopt;
  const nlohmann::json& types = entry.at("types");
  const nlohmann::json& own = types.at(0);
  const auto best = std::max_element(types.begin(), types.end(), [&](const auto& x, const auto& y) {
    return worth(x, own) < worth(y, own);
  });
  SlowChoice choice{library, own.at("name"), best->at("type"), worth(*best, own)};
  if (choice.better.empty() || !(choice.times >= kWorthSaying)) return std::nullopt;
  return choice;
}

}  // namespace

std::vector<CoreTypeFinding> measured_core_types(Engine& engine) {
  const std::string library = engine.cpu().library_path();
  auto findings = probe_core_types(library, "/proc/self/exe");
  remember_core_types(engine.settings().profile_dir, library, findings);
  return findings;
}

std::string worth_text(const std::vector<CoreTypeFinding>& findings) {
  const CoreTypeFinding& own = findings.front();
  const CoreTypeFinding& s = fastest(findings, &CoreTypeFinding::sgemm_gflops);
  const CoreTypeFinding& d = fastest(findings, &CoreTypeFinding::dgemm_gflops);
  const double s_gain = own.sgemm_gflops > 0 ? s.sgemm_gflops / own.sgemm_gflops : 0;
  const double d_gain = own.dgemm_gflops > 0 ? d.dgemm_gflops / own.dgemm_gflops : 0;
  if (s_gain < kWorthSaying && d_gain < kWorthSaying) {
    return "The library's own choice, " + own.core_name + ", is as fast as any.";
  }
  return "Left alone the library takes " + own.core_name + ": " + s.core_name + " is worth " +
         fixed(s_gain, 2) + " times that in sgemm, " + d.core_name + " " + fixed(d_gain, 2) +
         " times in dgemm.";
}

std::vector<CpuConfig> promising_configs(Engine& engine,
                                         const std::vector<CoreTypeFinding>& findings) {
  std::vector<CpuConfig> configs;
  if (findings.empty()) return configs;
  for (const auto gflops : {&CoreTypeFinding::sgemm_gflops, &CoreTypeFinding::dgemm_gflops}) {
    CpuConfig config = engine.machine().cpu_for(Precision::s);
    config.core_type = fastest(findings, gflops).core_type;
    if (std::find(configs.begin(), configs.end(), config) == configs.end()) {
      configs.push_back(config);
    }
  }
  return configs;
}

std::string core_types_file(const std::string& folder) {
  return folder + "/blas.core-types";
}

void remember_core_types(const std::string& folder, const std::string& library,
                         const std::vector<CoreTypeFinding>& findings) {
  const auto identity = identity_of(library);
  if (findings.empty() || !identity || folder.empty()) return;
  nlohmann::json types = nlohmann::json::array();
  for (const CoreTypeFinding& f : findings)
    types.push_back({{"type", f.core_type},
                     {"name", f.core_name},
                     {"sgemm", f.sgemm_gflops},
                     {"dgemm", f.dgemm_gflops}});
  nlohmann::json all = remembered(folder);
  all[library] = {{"identity", *identity}, {"types", types}};
  try {
    store(folder, all);
  } catch (const Error&) {
    // The file cannot be written: the next command measures again.
  }
}

std::vector<SlowChoice> slow_choices(const std::string& folder) {
  std::vector<SlowChoice> found;
  const nlohmann::json all = remembered(folder);
  for (const auto& [library, entry] : all.items()) {
    try {
      if (auto choice = slow_choice(library, entry)) found.push_back(std::move(*choice));
    } catch (const nlohmann::json::exception&) {
      // The entry is of another version.
    }
  }
  return found;
}

}  // namespace duoblas::cli
