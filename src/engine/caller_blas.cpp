#include "engine/caller_blas.hpp"

#include <atomic>
#include <cstdint>

#include "os/dynamic_library.hpp"
#include "os/file_status.hpp"
#include "os/host_environment.hpp"

namespace duoblas {
namespace {

constinit thread_local CallerBlas here{};

// Written once, by whoever changes the state from none.
enum State { none, being_written, written };
constinit std::atomic<State> state{none};
constinit CallerBlas usual{};

bool is_same(const CallerBlas& x, const CallerBlas& y) {
  return x.library == y.library && x.threads == y.threads;
}

}  // namespace

ScopedCallerBlas::ScopedCallerBlas(const CallerBlas& blas) noexcept : before_(here) {
  here = blas;
  State before = none;
  // Before a program's BLAS is found, none counts as unusual.
  if (blas.library == nullptr || state.load(std::memory_order_relaxed) != none ||
      !state.compare_exchange_strong(before, being_written))
    return;
  usual = blas;
  state.store(written, std::memory_order_release);
}

ScopedCallerBlas::~ScopedCallerBlas() {
  here = before_;
}

std::uint64_t unusual_caller_blas() noexcept {
  if (is_same(here, {}) || state.load(std::memory_order_acquire) != written || is_same(here, usual))
    return 0;
  return (reinterpret_cast<std::uintptr_t>(here.library) ^ static_cast<std::uint64_t>(here.threads)
                                                               << 48) |
         1;
}

std::string blas_variables() {
  std::string text;
  for (const char* name :
       {"FLEXIBLAS", "OPENBLAS_CORETYPE", "OPENBLAS_NUM_THREADS", "OPENBLAS_DEFAULT_NUM_THREADS",
        "GOTO_NUM_THREADS", "OMP_NUM_THREADS", "BLIS_ARCH_TYPE", "BLIS_NUM_THREADS",
        "MKL_ENABLE_INSTRUCTIONS", "MKL_NUM_THREADS"})
    text += host_variable(name).value_or("") + ',';
  return text;
}

std::string usual_caller_blas() {
  if (state.load(std::memory_order_acquire) != written) return {};
  std::string text = blas_variables() + std::to_string(usual.threads);
  const char* const library = library_at(usual.library);
  if (library == nullptr) return text;
  text += std::string(" ") + library;
  if (const auto file = file_status(library))
    text += " " + std::to_string(file->bytes) + " " + std::to_string(file->changed);
  return text;
}

}  // namespace duoblas
