#include "power/sysfs_tree.hpp"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <system_error>

#include "os/files.hpp"
#include "power/energy_sensor.hpp"

namespace duoblas::power {

std::vector<std::string> SysfsTree::names(const std::string& folder) const {
  std::vector<std::string> found;
  std::error_code error;
  for (std::filesystem::directory_iterator it(real_path(folder), error), end; !error && it != end;
       it.increment(error))
    found.push_back(it->path().filename().string());
  std::ranges::sort(found);
  return found;
}

bool SysfsTree::has(const std::string& path) const {
  std::error_code error;
  return std::filesystem::exists(real_path(path), error);
}

std::string SysfsTree::all_text(const std::string& path) const {
  char bytes[4096];
  const long count = read_small_file(real_path(path), bytes, sizeof bytes);
  if (count < 0) throw SensorError(real_path(path) + ": " + std::strerror(errno));
  return {bytes, static_cast<std::size_t>(count)};
}

std::string SysfsTree::text(const std::string& path) const {
  const std::string all = all_text(path);
  return all.substr(0, all.find('\n'));
}

double SysfsTree::number(const std::string& path) const {
  const std::string line = text(path);
  double value = 0;
  const auto [end, error] = std::from_chars(line.data(), line.data() + line.size(), value);
  if (error != std::errc() || end != line.data() + line.size() || !std::isfinite(value))
    throw SensorError(real_path(path) + ": \"" + line + "\" is no number");
  return value;
}

}  // namespace duoblas::power
