// geqrf of a panel: many rows, few columns. Threads have bands of rows in caches of their own, as
// of an LU panel (lu_panel.hpp), and meet once per column:
//
//     band 0  |  products of the column with   |   the sums are the norm that makes the reflector,
//     band 1  |  itself and those behind it    |   and what it is multiplied with: the column need
//     band 2  |  -> everybody                  |   not be scaled before
//
// (J. Demmel and others have the same for tall matrices, Communication-optimal parallel and
// sequential QR, 2012, but with other reflectors than LAPACK's.) Columns are scaled by powers of
// two before, which reflectors do not see: so nothing overflows on the way.
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

  /// Whether this may have it: n <= m, and no more than there is memory for.
  bool suits(const LapackProblem& geqrf) const;

  /// Column-major: V with its ones and zeros, and the upper triangle of V^H V.
  struct Reflectors {
    void* v = nullptr;
    std::int64_t ldv = 0;
    void* products = nullptr;
    std::int64_t ld = 0;
  };
  /// A and tau as LAPACK has them. False: nothing was written, and LAPACK has to do it (numbers
  /// that are not finite, columns of which next to nothing is left). The same bits for the same
  /// number of threads. \pre suits(geqrf). \throws std::bad_alloc likewise.
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
