// The layer's log, as its tests read it.
#pragma once

#include <fstream>
#include <string>
#include <vector>

namespace duoblas::test {

inline std::vector<std::string> lines_of(const std::string& path) {
  std::vector<std::string> lines;
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) lines.push_back(line);
  return lines;
}

}  // namespace duoblas::test
