// Describes the machine of a comparison, from its file.
#pragma once

#include <iosfwd>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <utility>
#include <vector>

namespace duoblas::cli {

/// The "context" of `bench --json`; fields that a file lacks are empty.
struct BenchMachine {
  std::string version;
  std::string date;
  std::string device;  ///< the GPU's name; empty: only the CPU was measured
  std::string device_problem;
  std::string platform;
  std::string driver;
  std::string sharing;
  bool standin = false;
  std::string cpu_model;
  std::string cpu_blas;
  int cpu_threads = 0;
  int cpu_all_threads = 0;
  bool tuned = false;
  std::string profile;  ///< the title of the one that was used
  std::string profile_problem;
  std::string doubles;  ///< how the device multiplies them, where not by units of their own
};

/// Reads context_json(), also of other versions.
BenchMachine machine_of(const nlohmann::json& context);

/// What stands above the tables.
void print_machine(const BenchMachine& machine, std::ostream& out);

/// Names and values for a table, without what is not known.
std::vector<std::pair<std::string, std::string>> machine_rows(const BenchMachine& machine);

/// "the GPU is X, it was Y": the differences that make the two machines different ones. Empty for
/// one machine.
std::vector<std::string> machine_differences(const BenchMachine& then, const BenchMachine& now);

/// The same for what may change on one machine: driver, CPU BLAS, threads, DuoBLAS, profile.
std::vector<std::string> software_differences(const BenchMachine& then, const BenchMachine& now);

}  // namespace duoblas::cli
