// Kernels that compute something wrong.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include <duoblas/settings.hpp>

#include "support/temporary_directory.hpp"

namespace duoblas::test {

// A copy of kernels/ with one line of a file changed.
class SpoiledKernels {
 public:
  SpoiledKernels(const std::string& file, const std::string& line, const std::string& other) {
    for (const auto& entry : std::filesystem::directory_iterator(DUOBLAS_TEST_KERNEL_DIR))
      if (entry.is_regular_file())
        std::filesystem::copy_file(entry.path(), path() + "/" + entry.path().filename().string());
    spoil(file, line, other);
  }
  void spoil(const std::string& file, const std::string& line, const std::string& other) {
    std::ifstream in(path() + "/" + file);
    std::ostringstream text;
    text << in.rdbuf();
    std::string source = text.str();
    const std::size_t at = source.find(line);
    EXPECT_NE(at, std::string::npos) << line;
    source.replace(at, line.size(), other);
    std::ofstream(path() + "/" + file) << source;
  }
  std::string path() const { return folder_.path(); }

 private:
  TemporaryDirectory folder_;
};

/// The GPU alone, with the kernels of a folder.
inline Settings on_gpu_with(const std::string& kernel_dir) {
  Settings settings = Settings::from_environment();
  settings.strategy = Strategy::gpu;
  settings.kernel_dir = kernel_dir;
  settings.cache_dir.clear();
  return settings;
}

}  // namespace duoblas::test
