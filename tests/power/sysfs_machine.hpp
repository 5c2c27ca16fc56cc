// Sources found in trees of tests/power/data, which are unpacked, or in a copy that a test changes.
#pragma once

#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>

#include "power/sources.hpp"
#include "simulated_sensor.hpp"
#include "support/temporary_directory.hpp"

namespace duoblas::power {

/// Makes the files of a tree (data/README.md) below `root`.
inline void unpack_tree(const std::string& name, const std::filesystem::path& root) {
  std::ifstream packed(std::string(DUOBLAS_TEST_SYSFS) + "/" + name + ".txt");
  if (!packed) throw std::runtime_error("there is no tree " + name);
  for (std::string line; std::getline(packed, line);) {
    if (line.empty() || line.front() == '#') continue;
    const std::size_t space = line.find(' ');
    const std::filesystem::path file = root / line.substr(0, space);
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file, std::ios::app) << line.substr(space + 1) << '\n';
  }
}

/// Unpacked once for all tests, which only read it.
inline std::string data_tree(const std::string& name) {
  static std::map<std::string, test::TemporaryDirectory> trees;
  const auto [tree, is_new] = trees.try_emplace(name);
  if (is_new) unpack_tree(name, tree->second.path());
  return tree->second.path();
}

/// Events that count another millijoule at each read.
inline auto moving_perf() {
  return [](const PerfEvent& event) -> PerfReader {
    if (event.type != 32 || event.cpu != 0) throw SensorError("no such event");
    constexpr double counts_per_joule = 4294967296;
    return [count = 0.0]() mutable { return count += counts_per_joule * 1e-3; };
  };
}
/// Events that count nothing, as in a virtual machine.
inline auto still_perf() {
  return [](const PerfEvent&) -> PerfReader { return [] { return 0.0; }; };
}
inline auto refused_perf() {
  return [](const PerfEvent&) -> PerfReader { throw SensorError("Permission denied"); };
}

/// Only what the tree has: there is no NVML, and the clock stands still unless told.
inline PowerPlaces places_of(const std::string& root, const SimulatedClock& clock) {
  PowerPlaces places;
  places.sysfs = SysfsTree(root);
  places.nvml_library = "libno-such-nvml.so";
  places.open_perf = refused_perf();
  places.clock = clock.function();
  return places;
}

inline const MissingSource* missing_of(const PowerSources& sources, const std::string& source) {
  for (const MissingSource& missing : sources.missing)
    if (missing.source == source) return &missing;
  return nullptr;
}

/// A copy of a tree in which files change.
class ChangingTree {
 public:
  explicit ChangingTree(const std::string& name) { unpack_tree(name, root()); }
  std::string root() const { return directory_ / "sys"; }
  void write(const std::string& path, const std::string& text) {
    std::ofstream(root() + "/" + path) << text << '\n';
  }
  void copy(const std::string& from, const std::string& to) {
    std::filesystem::copy(root() + "/" + from, root() + "/" + to,
                          std::filesystem::copy_options::recursive);
  }
  void remove(const std::string& path) { std::filesystem::remove_all(root() + "/" + path); }

 private:
  test::TemporaryDirectory directory_;
};

}  // namespace duoblas::power
