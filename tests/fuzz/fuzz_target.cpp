#include "fuzz/fuzz_target.hpp"

#include <cstdio>
#include <cstdlib>
#include <fstream>

#include "support/temporary_directory.hpp"

namespace duoblas::fuzz {

void require(bool kept, const char* promise) {
  if (kept) return;
  std::fprintf(stderr, "broken: %s\n", promise);
  std::abort();
}

std::string scratch_file(const char* name) {
  static const test::TemporaryDirectory directory;
  return directory / name;
}

void write_scratch(const std::string& path, const std::uint8_t* data, std::size_t size) {
  std::ofstream file(path, std::ios::binary);
  file.write(reinterpret_cast<const char*>(data), static_cast<std::streamsize>(size));
  require(static_cast<bool>(file.flush()), "there is room for a scratch file");
}

}  // namespace duoblas::fuzz
