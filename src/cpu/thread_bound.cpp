#include "cpu/thread_bound.hpp"

namespace duoblas {
namespace {

constinit thread_local int bound = 0;

}  // namespace

ScopedThreadBound::ScopedThreadBound(int threads) noexcept : before_(bound) {
  if (threads > 0) bound = threads;
}

ScopedThreadBound::~ScopedThreadBound() {
  bound = before_;
}

int thread_bound() noexcept {
  return bound;
}

}  // namespace duoblas
