#include "os/affinity.hpp"

#include <sched.h>
#include <unistd.h>

#include <climits>
#include <cstring>

namespace duoblas {
namespace {

constexpr int bits_per_word = static_cast<int>(sizeof(unsigned long) * CHAR_BIT);
// As in ScopedAffinity::saved_: 1024 cores, the size of a cpu_set_t.
constexpr int words = 16;
static_assert(sizeof(cpu_set_t) == words * sizeof(unsigned long));

}  // namespace

// The thread that makes the first product may be pinned to one core, and so may be the main thread
// if an OpenMP runtime binds it. So the cores of both are joined.
std::vector<int> allowed_cores() {
  cpu_set_t allowed;
  CPU_ZERO(&allowed);
  bool known = false;
  for (const pid_t thread : {pid_t{0}, getpid()}) {
    cpu_set_t set;
    CPU_ZERO(&set);
    if (sched_getaffinity(thread, sizeof set, &set) != 0) continue;
    CPU_OR(&allowed, &allowed, &set);
    known = true;
  }
  std::vector<int> cores;
  if (known) {
    for (int core = 0; core < CPU_SETSIZE; ++core)
      if (CPU_ISSET(core, &allowed)) cores.push_back(core);
  } else {
    // On a machine with more than 1024 cores, those that the mask cannot name are not touched.
    const long online = sysconf(_SC_NPROCESSORS_ONLN);
    for (int core = 0; core < online && core < CPU_SETSIZE; ++core) cores.push_back(core);
  }
  if (cores.empty()) cores.push_back(0);
  return cores;
}

int cores_of_this_thread() noexcept {
  cpu_set_t allowed;
  CPU_ZERO(&allowed);
  return ::sched_getaffinity(0, sizeof allowed, &allowed) == 0 ? CPU_COUNT(&allowed) : 1;
}

ScopedAffinity::ScopedAffinity(const std::vector<int>& cores) noexcept {
  if (cores.empty()) return;
  unsigned long wanted[words] = {};
  for (int core : cores)
    if (core >= 0 && core < words * bits_per_word)
      wanted[core / bits_per_word] |= 1UL << (core % bits_per_word);
  if (sched_getaffinity(0, sizeof saved_, reinterpret_cast<cpu_set_t*>(saved_)) != 0) return;
  if (std::memcmp(saved_, wanted, sizeof wanted) == 0) return;
  changed_ = sched_setaffinity(0, sizeof wanted, reinterpret_cast<cpu_set_t*>(wanted)) == 0;
}

ScopedAffinity::~ScopedAffinity() {
  if (changed_) sched_setaffinity(0, sizeof saved_, reinterpret_cast<cpu_set_t*>(saved_));
}

}  // namespace duoblas
