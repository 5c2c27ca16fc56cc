// geqrf of a panel: many rows, few columns. Each thread has a band of rows in its own cache, as for
// an LU panel (lu_panel.hpp). Threads meet once per column:
//
//     band 0  |  products of the column with   |   the sums are the norm that makes the reflector,
//     band 1  |  itself and those behind it    |   and what it is multiplied with: the column need
//     band 2  |  -> everybody                  |   not be scaled before
//
// (J. Demmel and others do the same for tall matrices, Communication-optimal parallel and
// sequential QR, 2012, but with other reflectors than LAPACK's.) Columns are first scaled by powers
// of two, which does not change the reflectors, so that no sum overflows.
#pragma once

#include <cstdint>

#include "cpu/panel_bands.hpp"
#include "cpu/thread_team.hpp"
#include "problem/lapack_problem.hpp"

namespace duoblas {

/// Where a panel is that is not in A yet: column-major, with rows above it that A gets, too. Null:
/// it is in A.
struct PanelSource {
  const void* columns = nullptr;
  std::int64_t ld = 0;
  std::int64_t rows_above = 0;
};

class QrPanel {
 public:
  /// Memory for panels of at most so many rows and columns. \throws std::bad_alloc.
  QrPanel(ThreadTeam& team, Precision precision, std::int64_t rows, std::int64_t columns);

  /// Whether this panel can be factorised here: n <= m, and it fits the memory.
  bool suits(const LapackProblem& geqrf) const;

  /// Column-major: V with its ones and zeros, and the upper triangle of V^H V.
  struct Reflectors {
    void* v = nullptr;
    std::int64_t ldv = 0;
    void* products = nullptr;
    std::int64_t ld = 0;
  };
  /// A and tau as LAPACK returns them. False: nothing was written and LAPACK has to do it (numbers
  /// that are not finite, or a column that elimination leaves almost zero). The same number of
  /// threads gives the same bits. \pre suits(geqrf). \throws std::bad_alloc likewise.
  bool factorise(const LapackProblem& geqrf, const Reflectors& to, const PanelSource& from = {});
  /// The same of reflectors that A holds, which is only read. \pre suits(geqrf). \throws
  /// std::bad_alloc, with nothing written.
  void gather(const LapackProblem& geqrf, const Reflectors& to);

 private:
  ThreadTeam& team_;
  const Precision precision_;
  const std::int64_t rows_, columns_;
  PanelMemory memory_;
};

}  // namespace duoblas
