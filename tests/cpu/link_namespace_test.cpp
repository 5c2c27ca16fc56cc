// What a thread owns until it ends, in a process with two C libraries.
#include "os/link_namespace.hpp"

#include <dlfcn.h>
#include <gtest/gtest.h>
#include <link.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <duoblas/error.hpp>

#include "cpu/cpu_side.hpp"
#include "os/symbol_redirection.hpp"

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define HAS_OWN_LEAK_CHECKER  // and link namespaces

namespace {
const void* looked_for = nullptr;
bool is_shown = false;
}  // namespace

// In the place of LeakSanitizer's.
extern "C" void __lsan_register_root_region(const void* begin, std::size_t size);
extern "C" void __lsan_register_root_region(const void* begin, std::size_t size) {
  const auto* first = static_cast<const char*>(begin);
  is_shown |= looked_for >= first && looked_for < first + size;
}
#endif

namespace duoblas {
namespace {

// What guest_blas.c writes to C.
struct Seen {
  double calls_of_thread;
  double threads_ended;
  double letter;
  double calls_of_own_thread;
  double own_memory;
};

CpuSide side_of(const std::string& library) {
  CpuLimits limits = cpu_limits("", 1);
  return CpuSide(limits, library);
}

Seen call_guest() {
  static auto& side = *new CpuSide(side_of(GUEST_BLAS));
  constexpr std::size_t n = 4;
  const std::vector<double> a(n * n), b(n * n);
  std::vector<double> c(n * n, -1.0);
  GemmProblem p;
  p.precision = Precision::d;
  p.m = p.n = p.k = p.lda = p.ldb = p.ldc = n;
  p.a = a.data();
  p.b = b.data();
  p.c = c.data();
  side.run(p, side.all_cores(""));
  return {c[0], c[1], c[2], c[3], c[4]};
}

void in_a_thread(const std::function<void()>& body) {
  std::thread(body).join();
}

class HostKeys {
 public:
  explicit HostKeys(void (*destructor)(void*) = nullptr) {
    for (pthread_key_t& key : keys_) EXPECT_EQ(pthread_key_create(&key, destructor), 0);
  }
  ~HostKeys() {
    for (const pthread_key_t key : keys_) pthread_key_delete(key);
  }
  HostKeys(const HostKeys&) = delete;
  HostKeys& operator=(const HostKeys&) = delete;

  void set() const {
    for (std::size_t i = 0; i < keys_.size(); ++i) pthread_setspecific(keys_[i], value(i));
  }
  bool are_set() const {
    for (std::size_t i = 0; i < keys_.size(); ++i)
      if (pthread_getspecific(keys_[i]) != value(i)) return false;
    return true;
  }
  static bool is_a_value(const void* pointer) {
    const auto number = reinterpret_cast<std::uintptr_t>(pointer);
    return number > first && number <= first + many;
  }

 private:
  static constexpr std::uintptr_t first = 4096;
  static constexpr std::size_t many = 50;  // more than lie in a thread's descriptor
  static void* value(std::size_t i) { return reinterpret_cast<void*>(first + 1 + i); }
  std::array<pthread_key_t, many> keys_{};
};

std::atomic<int> wrong_values{0};
std::atomic<int> right_values{0};

void look_at(void* value) {
  ++(HostKeys::is_a_value(value) ? right_values : wrong_values);
}

TEST(LinkNamespace, LeavesTheValuesOfTheProgramsKeysAsTheyAre) {
  const HostKeys before(look_at);
  before.set();
  call_guest();
  EXPECT_TRUE(before.are_set());
  const HostKeys after(look_at);
  after.set();
  const double calls = call_guest().calls_of_thread;
  EXPECT_TRUE(before.are_set());
  EXPECT_TRUE(after.are_set());
  in_a_thread([&] {
    after.set();
    EXPECT_EQ(call_guest().calls_of_thread, 1);
    before.set();
    EXPECT_EQ(call_guest().calls_of_thread, 2);
    EXPECT_TRUE(before.are_set());
    EXPECT_TRUE(after.are_set());
  });
  EXPECT_EQ(wrong_values, 0);
  EXPECT_EQ(right_values, 100);
  EXPECT_EQ(call_guest().calls_of_thread, calls + 1);
}

// Its own threads and the program's, each of which gave its value to the library's destructor.
TEST(LinkNamespace, RunsTheDestructorsOfItsLibrariesWhenThreadsEnd) {
  const double ended = call_guest().threads_ended;
  for (int i = 0; i < 3; ++i) in_a_thread(call_guest);
  constexpr int own_threads = 4;
  EXPECT_EQ(call_guest().threads_ended, ended + 3 + own_threads);
}

TEST(LinkNamespace, PreparesEveryThreadForItsCLibrary) {
  in_a_thread([] {
    const Seen seen = call_guest();
    EXPECT_EQ(seen.letter, 'G');
    EXPECT_EQ(seen.calls_of_own_thread, 2);
  });
}

TEST(LinkNamespace, AllocatesMemoryAsTheProgramDoes) {
  in_a_thread(call_guest);
  if (link_namespaces_supported()) {
    EXPECT_EQ(call_guest().own_memory, 0);
  }
}

// The program's keys stay right while this library multiplies, in the main thread and others.
bool multiplies_beside_keys(const std::string& library) {
  CpuLimits limits = cpu_limits("", 0);
  limits.threads = 2;
  CpuSide side(limits, library);
  const HostKeys keys(look_at);
  const auto is_right = [&] {
    constexpr std::size_t n = 200;
    const std::vector<double> a(n * n, 0.5), b(n * n, 2.0);
    std::vector<double> c(n * n, -1.0);
    GemmProblem p;
    p.precision = Precision::d;
    p.m = p.n = p.k = p.lda = p.ldb = p.ldc = n;
    p.a = a.data();
    p.b = b.data();
    p.c = c.data();
    keys.set();
    side.run(p, side.all_cores(""));
    return keys.are_set() && c == std::vector<double>(n * n, static_cast<double>(n));
  };
  bool right = is_right();
  for (int i = 0; i < 3; ++i) in_a_thread([&] { right = is_right() && right; });
  return right && wrong_values == 0 && right_values > 0;
}

// Each in a process of its own, since namespaces are few.
TEST(LinkNamespace, OfAnInstalledOpenMpBlasLeavesTheProgramsKeysAsTheyAre) {
  testing::FLAGS_gtest_death_test_style = "threadsafe";
  for (const std::string library :
       {"openblas-openmp/libopenblas.so.0", "blis-openmp/libblis.so.4"}) {
    const std::string path = "/usr/lib/" LIBRARY_ARCHITECTURE "/" + library;
    if (!std::filesystem::exists(path)) continue;
    EXPECT_EXIT(::_exit(multiplies_beside_keys(path) ? 0 : 1), testing::ExitedWithCode(0), "")
        << path;
  }
}

int keys_left() {
  std::vector<pthread_key_t> keys;
  for (pthread_key_t key; pthread_key_create(&key, nullptr) == 0;) keys.push_back(key);
  for (const pthread_key_t key : keys) pthread_key_delete(key);
  return static_cast<int>(keys.size());
}

TEST(LinkNamespace, ThatIsFreedLeavesNoKeyBehind) {
  if (!link_namespaces_supported()) return;
  const int before = keys_left();
  in_a_thread([&] {
    {
      LinkNamespace space;
      ASSERT_TRUE(space.valid()) << space.error();
      void* library = space.open(GUEST_BLAS);
      ASSERT_NE(library, nullptr) << space.error();
      const auto count_call = reinterpret_cast<int (*)()>(dlsym(library, "count_call"));
      EXPECT_EQ(count_call(), 1);
      EXPECT_EQ(keys_left(), before - 1);
      space.close(library);
    }
    EXPECT_EQ(keys_left(), before);
  });  // the destructor is not there any more
}

#ifdef HAS_OWN_LEAK_CHECKER
// Its C library never hears of a fork, whose handlers it has.
TEST(LinkNamespace, OfABlasWithAPrefixFindsItsNamesAndStopsItBeforeAFork) {
  CpuSide side = side_of(PREFIXED_BLAS);
  const auto stops_and_threads = [&] {
    double values[4] = {};
    GemmProblem p;
    p.precision = Precision::d;
    p.m = p.n = p.k = p.lda = p.ldb = p.ldc = 2;
    p.a = p.b = p.c = values;
    side.run(p, side.all_cores(""));
    return std::pair(values[0], values[1]);
  };
  EXPECT_EQ(stops_and_threads(), std::pair(0.0, 0.0));
  const pid_t child = fork();
  if (child == 0) _exit(stops_and_threads() == std::pair(1.0, 2.0) ? 0 : 1);
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(stops_and_threads(), std::pair(1.0, 2.0));
}

TEST(LinkNamespace, ShowsTheVariablesOfItsLibrariesToALeakChecker) {
  testing::FLAGS_gtest_death_test_style = "threadsafe";
  const auto keep = [] {
    LinkNamespace space;
    void* library = space.open(GUEST_BLAS);
    if (library == nullptr) ::_exit(2);
    looked_for = dlsym(library, "ended");
    space.keep(library);
    ::_exit(looked_for != nullptr && is_shown ? 0 : 1);
  };
  EXPECT_EXIT(keep(), testing::ExitedWithCode(0), "");
}
#endif

// libgomp ends a program where it gets no key.
TEST(LinkNamespace, IsNotMadeWhereTheProgramHasTakenAllKeys) {
  testing::FLAGS_gtest_death_test_style = "threadsafe";
  const auto prepare = [] {
    for (pthread_key_t key; pthread_key_create(&key, nullptr) == 0;) continue;
    try {
      side_of(GUEST_BLAS).prepare({});
    } catch (const CpuBlasError& error) {
      ::_exit(std::string(error.what()).find("PTHREAD_KEYS_MAX") != std::string::npos ? 0 : 1);
    }
    ::_exit(2);
  };
  EXPECT_EXIT(prepare(), testing::ExitedWithCode(0), "");
}

TEST(LinkNamespace, IsMadeWhereFewKeysAreLeft) {
  testing::FLAGS_gtest_death_test_style = "threadsafe";
  const auto prepare = [] {
    for (int left = keys_left(); left > 10; --left) {
      pthread_key_t key;
      pthread_key_create(&key, nullptr);
    }
    ::_exit(call_guest().calls_of_thread == 1 ? 0 : 1);
  };
  EXPECT_EXIT(prepare(), testing::ExitedWithCode(0), "");
}

#if defined(__x86_64__) && defined(__LP64__)
// The relocations of `library` by which it calls `name` get this number.
void set_addends(const link_map& library, const std::string& name, ElfW(Sxword) addend) {
  ElfW(Addr) table = 0, size = 0, symbols = 0, names = 0;
  for (const ElfW(Dyn)* entry = library.l_ld; entry->d_tag != DT_NULL; ++entry) {
    if (entry->d_tag == DT_JMPREL) table = entry->d_un.d_ptr;
    if (entry->d_tag == DT_PLTRELSZ) size = entry->d_un.d_val;
    if (entry->d_tag == DT_SYMTAB) symbols = entry->d_un.d_ptr;
    if (entry->d_tag == DT_STRTAB) names = entry->d_un.d_ptr;
  }
  const auto page = static_cast<ElfW(Addr)>(sysconf(_SC_PAGESIZE));
  ASSERT_EQ(mprotect(reinterpret_cast<void*>(table / page * page), size + table % page,
                     PROT_READ | PROT_WRITE),
            0);
  auto* const first = reinterpret_cast<ElfW(Rela)*>(table);
  for (auto* r = first; r != first + size / sizeof *r; ++r) {
    const auto& symbol = reinterpret_cast<const ElfW(Sym)*>(symbols)[ELF64_R_SYM(r->r_info)];
    if (reinterpret_cast<const char*>(names) + symbol.st_name == name) r->r_addend = addend;
  }
}

struct OfThread {
  int calls = 41;
  char* text = nullptr;
};

void* same_for_all(pthread_key_t) {
  static OfThread thread;
  return &thread;
}

// ld's mark-plt keeps there where the call stands. Seen in Ubuntu 24.04's libc.
TEST(SymbolRedirection, TakesNoNumberBehindACallForAPartOfItsAddress) {
  void* const library = dlopen(GUEST_BLAS, RTLD_NOW | RTLD_LOCAL);
  link_map* map = nullptr;
  ASSERT_EQ(dlinfo(library, RTLD_DI_LINKMAP, &map), 0);
  set_addends(*map, "pthread_getspecific", 0x28);
  const Redirection redirection{"pthread_getspecific", reinterpret_cast<void*>(same_for_all),
                                false};
  ASSERT_EQ(redirect_symbols(*map, {&redirection, 1}), "");
  EXPECT_EQ(reinterpret_cast<int (*)()>(dlsym(library, "count_call"))(), 42);
}
#endif

}  // namespace
}  // namespace duoblas
