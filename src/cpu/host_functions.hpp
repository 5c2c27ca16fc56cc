// What a private library shares with the host: memory, threads, and what a thread owns until it
// ends.
#pragma once

#include <span>

#include "cpu/symbol_redirection.hpp"

namespace duoblas {

/// Functions of the C library that a private copy of it must not have of its own. The copy's table
/// of keys and its caches of memory would belong to threads whose end it never hears of, and two
/// tables of keys would number the same values of a thread.
std::span<const Redirection> host_functions();

/// A C library prepares the threads that it starts. The threads that run a private library are the
/// host's, so they are prepared for its C library by this.
struct ThreadPreparation {
  void (*init_ctype)() = nullptr;  ///< or null: isalpha() and so on read no table of the thread
  unsigned bit = 0;                ///< of a namespace that stays; 0: prepared at each call

  /// Before a thread runs code of the namespace. Threads that this code starts are prepared, too.
  void apply() const noexcept;
};

}  // namespace duoblas
