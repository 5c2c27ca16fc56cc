#include "os/machine_facts.hpp"

#include <sys/sysinfo.h>
#include <sys/utsname.h>

#ifdef __GLIBC__
#include <gnu/libc-version.h>
#endif

namespace duoblas {

KernelFacts kernel_facts() {
  utsname system = {};
  ::uname(&system);
  return {system.sysname, system.release, system.version, system.machine};
}

std::string c_library_version() {
#ifdef __GLIBC__
  return ::gnu_get_libc_version();
#else
  return "unknown";
#endif
}

std::size_t memory_bytes() noexcept {
  struct sysinfo memory = {};
  return ::sysinfo(&memory) == 0 ? memory.totalram * memory.mem_unit : 0;
}

}  // namespace duoblas
