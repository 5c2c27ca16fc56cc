// The reflectors of a panel as one, H = I - V T V^H, on the CPU (R. Schreiber and C. Van Loan, A
// storage-efficient WY representation for products of Householder transformations, 1989).
#pragma once

#include <cstdint>
#include <memory>

#include "cpu/qr_panel.hpp"
#include "engine/engine.hpp"
#include "lapack/panel_threads.hpp"
#include "os/page_block.hpp"
#include "problem/lapack_problem.hpp"
#include "problem/panel_reflector.hpp"
#include "problem/partition.hpp"
#include "sides/cpu_config.hpp"

namespace duoblas {

/// Columns of a column-major matrix, from the panel's first row on.
struct ReflectedColumns {
  void* data = nullptr;
  std::int64_t ld = 0;
  std::int64_t columns = 0;
};

struct ColumnMajorFactor {
  const void* data = nullptr;
  std::int64_t ld = 0;
  Op op = Op::none;
};
/// C = alpha op(A) op(B) + beta C with rows x columns of C, and op(A) rows x depth.
struct ColumnMajorProduct {
  std::int64_t rows = 0, columns = 0, depth = 0;
  ColumnMajorFactor a, b;
  void* c = nullptr;
  std::int64_t ldc = 0;
  double alpha = 1, beta = 0;
};
/// The same as a row-major problem.
GemmProblem row_major(Precision precision, const ColumnMajorProduct& product);

using QrThreads = PanelThreads<QrPanel>;

/// Holds V, with its ones and zeros, and the upper triangle T, both column-major.
class BlockReflector {
 public:
  /// For panels of A of at most `width` columns. \throws std::bad_alloc.
  BlockReflector(Engine& engine, const LapackProblem& whole, std::int64_t width,
                 const CpuConfig& cpu, std::shared_ptr<QrThreads> threads = {});

  /// geqrf of the panel's columns: row `first` is the first; writes A and tau. The threads do it if
  /// they can. Otherwise it is done in halves, since the CPU BLAS's own geqrf has products in wide
  /// panels only (E. Elmroth and F. Gustavson, Applying recursion to serial and parallel QR
  /// factorization, 2000). `source`: where the panel's columns are, with all rows above it.
  void factorise(Interval panel, const PanelSource& source = {});
  /// From now on threads have at most so many columns of a panel that lies in A. Products do the
  /// rest, as where LAPACK factorises them.
  void halve_panels(std::int64_t columns) { narrow_ = columns; }
  /// Takes the reflectors that A and tau hold.
  void gather(Interval panel);
  /// The next panels' V and T go to this memory; null: to memory of its own.
  void write_to(const ReflectorMemory& memory) { elsewhere_ = memory; }
  /// Allocates memory for panels from the first row on, and for products with this many columns. If
  /// it were short later, what was written to A would be lost. \throws std::bad_alloc.
  void reserve(std::int64_t columns);
  /// Writes the reflectors back into A, below the diagonal.
  void restore() const;

  /// C = op(H) C, on all of the CPU's cores.
  void apply(Op op, const ReflectedColumns& c);
  /// A part of apply(): W = V^H C, panel().count x columns, width() apart.
  GemmProblem inner(const ReflectedColumns& c, void* w) const { return inner(whole(), c, w); }
  /// op(T) W.
  GemmProblem triangular(Op op, std::int64_t columns, const void* w, void* result) const {
    return triangular(whole(), op, columns, w, result);
  }
  /// C -= V W.
  GemmProblem outer(const void* w, const ReflectedColumns& c) const { return outer(whole(), w, c); }

  Interval panel() const { return panel_; }
  std::int64_t rows() const { return p_.m - panel_.first; }
  std::int64_t width() const { return width_; }  ///< leading dimension of T, and of each W
  PanelReflector view(Op op) const;
  /// A product of the CPU.
  void run(const GemmProblem& product) const;

 private:
  GemmProblem row_major(const ColumnMajorProduct& product) const {
    return duoblas::row_major(p_.precision, product);
  }
  void run(const ColumnMajorProduct& product) const { run(row_major(product)); }
  // Of some of the panel's reflectors, on rows of C from the first one's on.
  Interval whole() const { return {0, panel_.count}; }
  GemmProblem inner(const Interval& of, const ReflectedColumns& c, void* w) const;
  GemmProblem triangular(const Interval& of, Op op, std::int64_t columns, const void* w,
                         void* result) const;
  GemmProblem outer(const Interval& of, const void* w, const ReflectedColumns& c) const;
  void begin(Interval panel);
  LapackProblem part_of_a(std::int64_t first, std::int64_t count) const;
  void take_from(const PanelSource& source) const;
  void reserve_v(std::int64_t rows);
  void reserve_w(std::int64_t columns);
  bool has_threads_factorise(std::int64_t first, std::int64_t count, const PanelSource& source);
  bool has_threads_gather();
  void factorise(std::int64_t first, std::int64_t count);
  void gather_triangle(std::int64_t first, std::int64_t count);
  /// Computes T's off-diagonal block from its two diagonal blocks.
  void join(std::int64_t first, std::int64_t half, std::int64_t count);
  void apply_part(std::int64_t first, std::int64_t count, Op op, const ReflectedColumns& c);
  void* v(std::int64_t row, std::int64_t column) const;
  void* t(std::int64_t row, std::int64_t column) const;

  Engine& engine_;
  const LapackProblem p_;
  const std::int64_t width_;
  const CpuConfig cpu_;
  std::int64_t narrow_ = 0;  ///< columns that threads have at most; 0: a whole panel
  ReflectorMemory elsewhere_;
  void *v_begin_ = nullptr, *t_begin_ = nullptr;
  std::int64_t ldv_ = 0, ldt_ = 0;
  Interval panel_;
  const std::shared_ptr<QrThreads> threads_;
  bool has_products_ = false;  ///< V^H V of the whole panel
  PageBlock v_, t_, w_, gram_, products_;
};

}  // namespace duoblas
