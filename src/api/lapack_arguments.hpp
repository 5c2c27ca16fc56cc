// The LAPACK calls of Context's methods.
#pragma once

#include <cstdint>

#include "engine/engine.hpp"
#include "lapack/lapack_call.hpp"
#include "os/cancellation_disabled.hpp"
#include "problem/caller_lapack.hpp"

namespace duoblas {

template <typename T>
struct LapackArguments : CallerLapack {
  // An operand that is only read is never written through this pointer.
  LapackArguments(LapackRoutine routine, std::int64_t n, const T* a, std::int64_t lda) {
    args.routine = routine;
    args.precision = precision_of<T>;
    args.n = n;
    args.a = const_cast<T*>(a);
    args.lda = lda;
  }
  void right_sides(std::int64_t count, T* b, std::int64_t ldb) {
    args.right_sides = count;
    args.b = b;
    args.ldb = ldb;
  }
};

/// LAPACK's info. \throws ArgumentError, and as run_lapack().
std::int64_t run_checked(Engine& engine, const CallerLapack& call);

}  // namespace duoblas
