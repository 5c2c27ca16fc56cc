// Kernels with NVIDIA's instructions on a device without them: their folder, with stand-ins.
#pragma once

#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <string>

#include "kernel_space/device_limits.hpp"
#include "support/temporary_directory.hpp"

namespace duoblas::test {

inline std::string text_of(const std::filesystem::path& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

inline void replace_all(std::string& text, const std::string& from, const std::string& to) {
  std::size_t at = text.find(from);
  if (at == std::string::npos) throw std::runtime_error("no " + from + " in a kernel's source");
  for (; at != std::string::npos; at = text.find(from, at + to.size()))
    text.replace(at, from.size(), to);
}

inline void write_emulating_kernels(const std::filesystem::path& path) {
  const std::filesystem::path emulation = DUOBLAS_TEST_EMULATION;
  std::filesystem::copy(DUOBLAS_TEST_KERNEL_DIR, path, std::filesystem::copy_options::recursive);
  std::filesystem::copy_file(emulation / "nvidia.clh", path / "nvidia.clh",
                             std::filesystem::copy_options::overwrite_existing);
  std::filesystem::copy_file(emulation / "nvidia_wide.clh", path / "nvidia_wide.clh",
                             std::filesystem::copy_options::overwrite_existing);
  std::ofstream(path / "tiled_matrix.clh", std::ios::app) << text_of(emulation / "matrix.clh");
  // Not unrolled, for PoCL's compiler takes half a minute then for wide ones, seconds for others.
  for (const char* file :
       {"wide.cl", "wide_multiply.clh", "tiled.cl", "tiled_between.clh", "tiled_local.clh",
        "tiled_multiply.clh", "tiled_store.clh", "tiled_teams.clh", "tiled_vectors.clh"}) {
    std::string text = text_of(path / file);
    replace_all(text, "#pragma unroll\n", "");
    std::ofstream(path / file) << text;
  }
  std::string product = text_of(path / "tiled.cl");
  replace_all(product, "multiply(sum, ", "MULTIPLIED(sum, ");
  replace_all(product, "multiply_between(sum, ", "MULTIPLIED_BETWEEN(sum, ");
  replace_all(product, "  __local part slices[", "  EXCHANGE;\n  __local part slices[");
  std::ofstream(path / "tiled.cl") << "#ifndef MULTIPLIED\n#define MULTIPLIED multiply\n"
                                      "#define EXCHANGE (void)0\n#endif\n"
                                   << product;
}

/// The kernels' folder with the stand-ins in it, for as long as the program runs.
inline std::string emulating_kernels() {
  struct Folder {
    Folder() { write_emulating_kernels(directory.path()); }
    TemporaryDirectory directory;
  };
  static const Folder once;
  return once.directory.path();
}

/// A device that has all that they need.
inline DeviceLimits able() {
  DeviceLimits limits;
  limits.max_work_group_size = 1024;
  limits.local_memory_bytes = 200 << 10;
  limits.async_copies = limits.register_shares = limits.fp64_matrix = limits.tf32_matrix = true;
  limits.wide_matrix = true;
  return limits;
}

}  // namespace duoblas::test
