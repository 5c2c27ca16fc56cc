// What probe_core_types() starts in tests: the real child, or one that fails as its library says.
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>

#include "tuner/core_type_probe.hpp"

int main(int argc, char** argv) {
  if (argc != 4 || std::string(argv[1]) != duoblas::core_type_probe_argument) return 2;
  const std::string library = argv[2];
  const std::string core_type = argv[3];
  if (library == "crashes") std::abort();
  if (library == "hangs") ::pause();
  if (library == "prints nonsense") return std::puts("no numbers here") < 0;
  if (library == "knows one type") return std::puts("Generic 12.5 6.25") < 0;
  if (library == "fails but for its own choice") {
    std::puts("Own 12.5 6.25");
    return core_type.empty() ? 0 : 1;
  }
  try {
    std::puts(duoblas::run_core_type_probe(library, core_type).c_str());
  } catch (const std::exception&) {
    return 1;
  }
  return 0;
}
