// The machine that a comparison was made on, as its file holds it and as people read it.
#pragma once

#include <iosfwd>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <utility>
#include <vector>

namespace duoblas::cli {

/// The "context" of `bench --json`; what a file does not say is empty.
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
};

/// Of context_json(), also of another version's.
BenchMachine machine_of(const nlohmann::json& context);

/// What stands above the tables.
void print_machine(const BenchMachine& machine, std::ostream& out);

/// Names and values for a table, without what is not known.
std::vector<std::pair<std::string, std::string>> machine_rows(const BenchMachine& machine);

/// "the GPU is X, it was Y": in what makes times of both no comparison of one machine. Empty where
/// it is the same one.
std::vector<std::string> machine_differences(const BenchMachine& then, const BenchMachine& now);

/// The same of what may have changed on one machine: driver, CPU BLAS, threads, DuoBLAS, profile.
std::vector<std::string> software_differences(const BenchMachine& then, const BenchMachine& now);

}  // namespace duoblas::cli
