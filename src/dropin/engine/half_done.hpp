// What an exception means in the middle of a program's call.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <new>
#include <variant>

#include "dropin/engine/program_call.hpp"

namespace duoblas {

/// Ends the program, because the next symbol needs its arguments as the caller gave them. Returns
/// where they are so: a call of LAPACK that finds no memory has written nothing.
inline void end_if_half_done(const ProgramCall& problem, const std::exception& error) {
  const bool lacks_memory = dynamic_cast<const std::bad_alloc*>(&error) != nullptr;
  // Of a level-3 call whose leading dimension exceeds 32 bits a part may be written.
  if (lacks_memory && std::holds_alternative<ProgramLapack>(problem)) return;
  std::fprintf(stderr, "duoblas: a product cannot be finished: %s\n", error.what());
  std::abort();
}

}  // namespace duoblas
