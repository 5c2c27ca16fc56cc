// What `duoblas kernel` prints is what is compiled: the file is built as it was printed.
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <map>
#include <sstream>
#include <string>

#include "gpu/kernels/kernel_source.hpp"
#include "kernel_space/kernel_fields.hpp"
#include "opencl/handles.hpp"
#include "support/first_device.hpp"
#include "support/temporary_directory.hpp"

namespace duoblas {
namespace {

using test::first_device;
using test::TemporaryDirectory;

// The command's standard output. Any device will do; what a developer has tuned is not seen.
std::string printed(const std::string& arguments) {
  const TemporaryDirectory folder;
  ::setenv("DUOBLAS_PROFILE_DIR", folder.path().c_str(), 1);
  ::setenv("DUOBLAS_CACHE_DIR", folder.path().c_str(), 1);
  ::setenv("DUOBLAS_STRATEGY", "hybrid", 1);
  ::unsetenv("DUOBLAS_KERNEL_DIR");
  const std::string command = std::string(DUOBLAS_TEST_COMMAND) + " kernel " + arguments;
  std::FILE* pipe = ::popen(command.c_str(), "r");
  if (pipe == nullptr) throw std::runtime_error("cannot run " + command);
  std::string text;
  char bytes[4096];
  for (std::size_t got = 0; (got = std::fread(bytes, 1, sizeof bytes, pipe)) > 0;)
    text.append(bytes, got);
  if (::pclose(pipe) != 0) throw std::runtime_error("failed: " + command);
  return text;
}

struct Listing {
  std::string options;
  std::map<std::string, int> parameters;  // of those that were explained
  std::map<std::string, std::size_t> first_line;
  std::string source;
};

Listing parsed(const std::string& text) {
  Listing listing;
  const auto end = text.find("\n\n") + 1;
  listing.source = text.substr(end + 1);
  std::istringstream header(text.substr(0, end));
  const std::string compiled_with = "// Compiled with: ";
  for (std::string line; std::getline(header, line);) {
    EXPECT_TRUE(line.starts_with("//")) << line;
    if (line.starts_with(compiled_with)) listing.options = line.substr(compiled_with.size());
    std::istringstream words(line.substr(2));
    std::string name, equals;
    if (int value = 0; words >> name >> equals >> value && equals == "=")
      listing.parameters[name] = value;
    words = std::istringstream(line.substr(2));
    if (std::size_t number = 0; words >> number >> name && name.find(".cl") != std::string::npos)
      listing.first_line[name] = number;
  }
  return listing;
}

std::string line_of(const std::string& text, std::size_t number) {
  std::istringstream lines(text);
  std::string line;
  for (std::size_t i = 0; i < number; ++i) std::getline(lines, line);
  return line;
}

struct Variant {
  const char* name;
  const char* options;
};

class KernelPrint : public testing::TestWithParam<Variant> {};

TEST_P(KernelPrint, IsTheSourceByteForByteAndCompilesAsItStands) {
  const std::string text = printed(GetParam().options);
  const Listing listing = parsed(text);
  KernelParams params;
  for (const KernelField& field : kernel_fields()) {
    const auto found = listing.parameters.find(std::string(field.name));
    if (found != listing.parameters.end()) field.set(params, found->second);
  }
  EXPECT_EQ(listing.source, kernel_source(params, ""));
  const auto files = kernel_files(params, "");
  EXPECT_EQ(listing.first_line.size(), files.size());
  for (const KernelFile& file : files)
    EXPECT_EQ(line_of(text, listing.first_line.at(file.name)), line_of(file.text, 1)) << file.name;

  const cl::Context context(first_device());
  const cl::Program program = cl::build_from_source(context, text, listing.options);
  EXPECT_NO_THROW(program.kernel("gemm"));
  if (params.k_split > 1) {
    EXPECT_NO_THROW(program.kernel("reduce"));
  }
}

INSTANTIATE_TEST_SUITE_P(
    Variants, KernelPrint,
    testing::Values(
        Variant{"panel", "--family panel --precision s --ops tn"},
        Variant{"panel_of_complex_vectors",
                "--family panel --precision z --ops nc --set tile_cols=4 --set vector_width=2 "
                "--set tile_rows=2"},
        Variant{"tiled_unaligned", "--family tiled --precision d --ops nt --unaligned"},
        Variant{"tiled_split_in_k",
                "--family tiled --precision c --ops nn --set k_split=4 --set raster=4"},
        Variant{"tiled_with_inline_sizes",
                "--family tiled --precision s --set inline_sizes=1 --size 96x80x64"}),
    [](const auto& variant) { return std::string(variant.param.name); });

}  // namespace
}  // namespace duoblas
