// What small calls cost through the drop-in, which passes them on.
#include <dlfcn.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <iostream>

#include <duoblas/error.hpp>

#include "bench/overhead_cases.hpp"
#include "timing/median.hpp"
#include "timing/stopwatch.hpp"

namespace duoblas {
namespace {

constexpr const char* kUsage =
    R"(DROPIN [--blas libopenblas.so.0] [--rounds 101]

Small calls through the drop-in (libduoblas_blas.so.0 with its path) and directly to the same BLAS, in turns, one
thread; n x n x n, or n x n; "held": at most 1.03 times or 15 ns more. Then /bin/true, plain and preloaded.
)";

// Medians over rounds in which both take turns: seconds of direct calls, and how much longer the
// drop-in's took in the same round. A clock that changes between rounds affects neither.
struct Pair {
  double direct = 0, more = 0;
};

template <typename Direct, typename Dropin>
Pair pair_in_turns(int rounds, Direct direct, Dropin dropin) {
  std::vector<double> took, took_more;
  direct();
  dropin();
  for (int round = 0; round < rounds; ++round) {
    const bool swapped = round % 2 != 0;  // neither is always the one that comes second
    double second = swapped ? seconds_of(dropin) : 0;
    const double first = seconds_of(direct);
    if (!swapped) second = seconds_of(dropin);
    took.push_back(first);
    took_more.push_back(second - first);
  }
  return {upper_median(took), upper_median(took_more)};
}

void* library(const std::string& path, int scope) {
  void* handle = dlopen(path.c_str(), RTLD_NOW | scope);
  if (handle == nullptr) throw SettingError(dlerror());
  return handle;
}

template <typename T>
using Fortran = void(const char*, const char*, const int*, const int*, const int*, const T*,
                     const T*, const int*, const T*, const int*, const T*, T*, const int*);
template <typename T>
using Cblas = void(int, int, int, int, int, int, T, const T*, int, const T*, int, T, T*, int);
template <typename T>
using FortranGemv = void(const char*, const int*, const int*, const T*, const T*, const int*,
                         const T*, const int*, const T*, T*, const int*);
template <typename T>
using CblasGemv = void(int, int, int, int, T, const T*, int, const T*, int, T, T*, int);

constexpr int largest = 64;
constexpr double round_seconds = 4e-4;

class Calls {
 public:
  Calls(void* blas, void* dropin, int rounds) : blas_(blas), dropin_(dropin), rounds_(rounds) {}

  template <typename T>
  void compare_all(char type) const {
    static T a[largest * largest] = {}, b[largest * largest] = {}, c[largest * largest] = {};
    static const T one = 1, zero = 0;
    static const int step = 1;
    const std::string gemm = type + std::string("gemm"), gemv = type + std::string("gemv");
    for (const int n : {1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64}) {
      compare<Fortran<T>>(gemm + "_", n, [&](Fortran<T>* f) {
        f("N", "N", &n, &n, &n, &one, a, &n, b, &n, &zero, c, &n);
      });
      compare<Cblas<T>>("cblas_" + gemm, n, [&](Cblas<T>* f) {
        f(102, 111, 111, n, n, n, one, a, n, b, n, zero, c, n);
      });
      compare<FortranGemv<T>>(gemv + "_", n, [&](FortranGemv<T>* f) {
        f("N", &n, &n, &one, a, &n, b, &step, &zero, c, &step);
      });
      compare<CblasGemv<T>>("cblas_" + gemv, n, [&](CblasGemv<T>* f) {
        f(102, 111, n, n, one, a, n, b, step, zero, c, step);
      });
    }
  }

 private:
  template <typename F>
  static F* function_of(void* library, const std::string& name) {
    void* symbol = dlsym(library, name.c_str());
    if (symbol == nullptr) throw SettingError(dlerror());
    return reinterpret_cast<F*>(symbol);
  }

  // `call` gets a library's function and calls it at size n.
  template <typename F, typename Call>
  void compare(const std::string& name, int n, Call&& call) const {
    F* const direct = function_of<F>(blas_, name);
    F* const through = function_of<F>(dropin_, name);
    const auto repeated = [&call](F* f, int calls) {
      for (int i = 0; i < calls; ++i) call(f);
    };
    repeated(direct, 100);
    const double once = seconds_of([&] { repeated(direct, 100); }) / 100;
    const int calls = std::max(10, static_cast<int>(round_seconds / once));
    const Pair pair = pair_in_turns(
        rounds_, [&] { repeated(direct, calls); }, [&] { repeated(through, calls); });
    const double first = pair.direct / calls * 1e9, more = pair.more / calls * 1e9;
    table_.row({name, std::to_string(n), fixed(first, 1), fixed(more, 1),
                fixed((first + more) / first, 3),
                more <= std::max(0.03 * first, 15.0) ? "held" : "MISSED"});
  }

  void *blas_, *dropin_;
  int rounds_;
  Table table_{
      {{"routine", -12}, {"n", 4}, {"direct ns", 10}, {"more ns", 8}, {"ratio", 6}, {"", -6}}};
};

void start_and_wait(const char* program, const std::string& preload) {
  std::vector<std::string> texts;
  for (char** entry = environ; *entry != nullptr; ++entry)
    if (std::strncmp(*entry, "LD_PRELOAD=", 11) != 0) texts.emplace_back(*entry);
  if (!preload.empty()) texts.push_back("LD_PRELOAD=" + preload);
  std::vector<char*> environment;
  for (std::string& text : texts) environment.push_back(text.data());
  environment.push_back(nullptr);
  char* const arguments[] = {const_cast<char*>(program), nullptr};
  pid_t child = 0;
  int status = -1;
  if (posix_spawn(&child, program, nullptr, nullptr, arguments, environment.data()) != 0 ||
      waitpid(child, &status, 0) != child || status != 0)
    throw Error(std::string(program) + " cannot be run");
}

int run(const NamedOptions& options) {
  // Small products are done by one thread. The library reads this when it is loaded.
  setenv("OPENBLAS_NUM_THREADS", "1", 0);
  void* blas = library(options["--blas"], RTLD_GLOBAL);
  void* dropin = library(options.word(), RTLD_LOCAL);
  const int rounds = options.whole("--rounds");
  const Calls calls(blas, dropin, rounds);
  calls.compare_all<float>('s');
  calls.compare_all<double>('d');
  const char* program = "/bin/true";
  const Pair start = pair_in_turns(
      4 * rounds, [&] { start_and_wait(program, ""); },
      [&] { start_and_wait(program, options.word()); });
  std::cout << program << ": " << fixed(1e3 * start.direct, 3) << " ms from start to end, "
            << fixed(1e3 * start.more, 3) << " ms more where preloaded  "
            << (start.more < 2e-3 ? "held" : "MISSED") << std::endl;
  return 0;
}

}  // namespace

BenchCase small_case() {
  return {"small", kUsage,
          NamedOptions({{"--blas", "libopenblas.so.0"}, {"--rounds", "101"}}, "drop-in"), run};
}

}  // namespace duoblas
