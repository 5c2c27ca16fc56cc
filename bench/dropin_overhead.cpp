// The cost of the drop-in if it has nothing to do: small calls through it and directly to the same
// BLAS, in turns, and the start of a program that never multiplies.
#include <dlfcn.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <string>
#include <vector>

#include "timing/median.hpp"
#include "timing/stopwatch.hpp"

namespace {

// Medians over rounds in which both take turns: seconds of direct calls, and how much longer the
// drop-in's took in the same round. A clock that changes between rounds affects neither.
struct Pair {
  double direct = 0, more = 0;
};

Pair in_turns(int rounds, const std::function<void()>& direct,
              const std::function<void()>& dropin) {
  std::vector<double> took, took_more;
  direct();
  dropin();
  for (int round = 0; round < rounds; ++round) {
    const bool swapped = round % 2 != 0;  // neither is always the one that comes second
    double second = swapped ? duoblas::seconds_of(dropin) : 0;
    const double first = duoblas::seconds_of(direct);
    if (!swapped) second = duoblas::seconds_of(dropin);
    took.push_back(first);
    took_more.push_back(second - first);
  }
  return {duoblas::upper_median(took), duoblas::upper_median(took_more)};
}

template <typename F>
F* function_of(void* library, const char* name) {
  void* symbol = dlsym(library, name);
  if (symbol == nullptr) {
    std::fprintf(stderr, "%s: %s\n", name, dlerror());
    std::exit(1);
  }
  return reinterpret_cast<F*>(symbol);
}

void* library(const std::string& path, int scope) {
  void* handle = dlopen(path.c_str(), RTLD_NOW | scope);
  if (handle == nullptr) {
    std::fprintf(stderr, "%s\n", dlerror());
    std::exit(1);
  }
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

constexpr int rounds = 101;
constexpr int largest = 64;
constexpr double round_seconds = 4e-4;

void print(const char* name, int n, int calls, Pair pair) {
  const double direct = pair.direct / calls * 1e9, more = pair.more / calls * 1e9;
  const bool held = more <= std::max(0.03 * direct, 15.0);
  std::printf("  %-12s %4d %10.1f %8.1f %7.3f  %s\n", name, n, direct, more,
              (direct + more) / direct, held ? "held" : "MISSED");
}

// The number of calls of `direct` that fill a round.
int calls_of(const std::function<void()>& direct) {
  for (int i = 0; i < 100; ++i) direct();
  const double once = duoblas::seconds_of([&] {
    for (int i = 0; i < 100; ++i) direct();
  });
  return std::max(10, static_cast<int>(round_seconds / (once / 100)));
}

struct Libraries {
  void *blas, *dropin;
};

// `call` gets a library's function and calls it at size n.
template <typename F, typename Call>
void compare(const Libraries& from, const char* name, int n, Call&& call) {
  const auto direct = [&, f = function_of<F>(from.blas, name)] { call(f); };
  const auto through = [&, f = function_of<F>(from.dropin, name)] { call(f); };
  const int calls = calls_of(direct);
  const auto repeated = [calls](auto once) {
    return [calls, once] {
      for (int i = 0; i < calls; ++i) once();
    };
  };
  print(name, n, calls, in_turns(rounds, repeated(direct), repeated(through)));
}

template <typename T>
void compare(const Libraries& from, char type) {
  static T a[largest * largest] = {}, b[largest * largest] = {}, c[largest * largest] = {};
  const T one = 1, zero = 0;
  const int step = 1;
  const std::string gemm = type + std::string("gemm"), gemv = type + std::string("gemv");
  for (const int n : {1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64}) {
    compare<Fortran<T>>(from, (gemm + "_").c_str(), n, [&](Fortran<T>* f) {
      f("N", "N", &n, &n, &n, &one, a, &n, b, &n, &zero, c, &n);
    });
    compare<Cblas<T>>(from, ("cblas_" + gemm).c_str(), n,
                      [&](Cblas<T>* f) { f(102, 111, 111, n, n, n, one, a, n, b, n, zero, c, n); });
    compare<FortranGemv<T>>(from, (gemv + "_").c_str(), n, [&](FortranGemv<T>* f) {
      f("N", &n, &n, &one, a, &n, b, &step, &zero, c, &step);
    });
    compare<CblasGemv<T>>(from, ("cblas_" + gemv).c_str(), n, [&](CblasGemv<T>* f) {
      f(102, 111, n, n, one, a, n, b, step, zero, c, step);
    });
  }
}

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
      waitpid(child, &status, 0) != child || status != 0) {
    std::fprintf(stderr, "%s cannot be run\n", program);
    std::exit(1);
  }
}

}  // namespace

int main(int count, char** arguments) {
  if (count < 2 || count > 3) {
    std::fprintf(stderr,
                 "usage: bench_dropin_overhead DROPIN [BLAS]\n"
                 "DROPIN: libduoblas_blas.so.0 with its path; BLAS: libopenblas.so.0\n");
    return 2;
  }
  // Small products are done by one thread. The library reads this when it is loaded.
  setenv("OPENBLAS_NUM_THREADS", "1", 0);
  void* blas = library(count == 3 ? arguments[2] : "libopenblas.so.0", RTLD_GLOBAL);
  void* dropin = library(arguments[1], RTLD_LOCAL);
  std::printf(
      "n x n x n, or n x n, medians of %d rounds in turns; held: at most 1.03 times or 15 ns "
      "more\n",
      rounds);
  std::printf("  %-12s %4s %10s %8s %7s\n", "routine", "n", "direct ns", "more ns", "ratio");
  compare<float>({blas, dropin}, 's');
  compare<double>({blas, dropin}, 'd');

  const char* program = "/bin/true";
  const std::string path = arguments[1];
  const Pair start = in_turns(
      401, [&] { start_and_wait(program, ""); }, [&] { start_and_wait(program, path); });
  std::printf("%s: %.3f ms from start to end, %.3f ms more where preloaded  %s\n", program,
              start.direct * 1e3, start.more * 1e3, start.more < 2e-3 ? "held" : "MISSED");
  return 0;
}
