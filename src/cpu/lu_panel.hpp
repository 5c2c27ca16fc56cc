// getrf of a panel: many rows, few columns. Each thread has a band of rows in its own cache.
// Threads meet once per column, where each shows its candidate for the pivot together with that
// row (A. Petitet and others, HPL's panel factorisation; J. Dongarra and others, Achieving
// numerical accuracy and high performance using recursive tile LU factorization, 2014).
//
//     band 0  | row j goes where the pivot was |   each thread keeps a copy of the pivots' rows,
//     band 1  |                                |   and makes of it the U that it updates its band
//     band 2  | pivot of column j -> everybody |   with: nobody waits for a solve
//
// A library's getrf searches for pivots column by column too, but by one thread, or with threads
// that sleep in between.
#pragma once

#include <cstdint>

#include "cpu/panel_bands.hpp"
#include "cpu/thread_team.hpp"
#include "problem/lapack_problem.hpp"
#include "problem/panel_inverse.hpp"

namespace duoblas {

class LuPanel {
 public:
  /// Memory for panels of at most so many rows and columns. \throws std::bad_alloc.
  LuPanel(ThreadTeam& team, Precision precision, std::int64_t rows, std::int64_t columns);

  /// Whether this panel can be factorised here: n <= m, and it fits the memory.
  bool suits(const LapackProblem& getrf) const;
  /// Where to read the panel, if that is not where the result is written.
  struct Source {
    const void* a = nullptr;
    std::int64_t lda = 0;
  };
  /// Returns LAPACK's info; pivots count from the panel's first row. The same number of threads
  /// gives the same bits. \pre suits(getrf). \throws std::bad_alloc, and then nothing was written.
  /// `inverse`: made too, of real types and PanelInverse::most_columns at most; or null.
  int factorise(const LapackProblem& getrf, Source from, PanelInverse* inverse = nullptr);
  int factorise(const LapackProblem& getrf) { return factorise(getrf, {getrf.a, getrf.lda}); }

 private:
  ThreadTeam& team_;
  const Precision precision_;
  const std::int64_t rows_, columns_;
  PanelMemory memory_;
};

}  // namespace duoblas
