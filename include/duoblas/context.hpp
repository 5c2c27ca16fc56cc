// A CPU and a GPU made ready to multiply together.
#ifndef DUOBLAS_CONTEXT_HPP
#define DUOBLAS_CONTEXT_HPP

#include <complex>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <duoblas/error.hpp>
#include <duoblas/export.hpp>
#include <duoblas/gemm_group.hpp>
#include <duoblas/job.hpp>
#include <duoblas/prepared.hpp>
#include <duoblas/settings.hpp>
#include <duoblas/types.hpp>

namespace duoblas {

/// T itself, but not deduced from: so that `1` or `1.0` can be given for any element type.
template <typename T>
struct ScalarOf {
  using type = T;
};
template <typename T>
using Scalar = typename ScalarOf<T>::type;

/// What a product takes for A or B: {a, lda} or a Prepared<T>.
template <typename T>
using OperandOf = typename ScalarOf<Operand<T>>::type;

/// The type of a complex number's parts, of which Hermitian routines have some scalars.
template <typename T>
struct RealOf {
  using type = T;
};
template <typename T>
struct RealOf<std::complex<T>> {
  using type = T;
};
template <typename T>
using Real = typename RealOf<T>::type;

/// What one call did; of a call of several products (syrk, trsm ...) what the first and largest
/// did, of a batch how its products were divided.
struct CallSummary {
  Strategy strategy = Strategy::cpu;  ///< cpu, gpu or hybrid
  Share share;                        ///< the GPU's share that the plan asked for
  std::int64_t gpu_rows = 0;          ///< rows of the row-major C (or columns, see by_columns)
  bool by_columns = false;
  std::int64_t products = 1;      ///< of a batch
  std::int64_t gpu_products = 0;  ///< of those, what the GPU computed, besides gpu_rows of one more
  bool recovered = false;         ///< the GPU failed; the CPU computed its part
  double seconds = 0;             ///< whole call
  std::string reason;             ///< why this plan
};

/// Owns the device, the CPU BLAS instances and the profile. Any number of threads may multiply in
/// one context at once. Nothing is loaded before the first product large enough to need it.
/// A forked child computes on the CPU.
class DUOBLAS_API Context {
 public:
  /// \throws SettingError where the settings cannot be met.
  explicit Context(const Settings& settings = Settings::from_environment());
  ~Context();
  Context(Context&&) noexcept;
  Context& operator=(Context&&) noexcept;

  /// The context behind duoblas::gemm and the C interface; never destroyed.
  static Context& process_default();

  /// C = alpha op(A) op(B) + beta C, with op(A) m x k, op(B) k x n, C m x n and leading dimensions
  /// in elements; T is float, double, std::complex<float> or std::complex<double>. beta == 0: C is
  /// written without being read. A, B and C are used only until the return; C must not overlap A
  /// or B. \throws ArgumentError (nothing was written), CpuBlasError; DeviceError where the GPU
  /// hangs and may still write to C by itself, which is incomplete then (any other failing GPU is
  /// recovered from).
  template <typename T>
  void gemm(Layout layout, Op op_a, Op op_b, std::int64_t m, std::int64_t n, std::int64_t k,
            Scalar<T> alpha, const T* a, std::int64_t lda, const T* b, std::int64_t ldb,
            Scalar<T> beta, T* c, std::int64_t ldc);

  /// The same beside the calling thread: checks the arguments, hands the work to a thread of this
  /// context and returns. Products started so run in their order, one at a time; those of other
  /// calls do not wait for them. The matrices stay in place until the job has ended, A and B
  /// unchanged. The context's destructor waits for its jobs. In a forked child, and where no thread
  /// can be had, the work is done before the return. \throws ArgumentError (nothing was started);
  /// what else gemm throws comes from Job::wait.
  template <typename T>
  Job gemm_async(Layout layout, Op op_a, Op op_b, std::int64_t m, std::int64_t n, std::int64_t k,
                 Scalar<T> alpha, const T* a, std::int64_t lda, const T* b, std::int64_t ldb,
                 Scalar<T> beta, T* c, std::int64_t ldc);

  /// Gets a matrix of `rows` x `columns`, as it is stored (before op), ready for several products:
  /// where the GPU computes on copies, it is copied there now, and stays until the result is
  /// destroyed. \throws ArgumentError with positions 1 (layout), 2, 3, 4 (data) and 5 (ld).
  template <typename T>
  Prepared<T> prepare(Layout layout, std::int64_t rows, std::int64_t columns, const T* data,
                      std::int64_t ld);

  /// The product with prepared operands: `context.gemm(layout, op_a, op_b, m, n, k, 1, prepared_a,
  /// {b, ldb}, 0, c, ldc)`. A prepared matrix has this call's layout and is, or begins with, the
  /// operand. \throws as the other gemm, with the same positions.
  template <typename T>
  void gemm(Layout layout, Op op_a, Op op_b, std::int64_t m, std::int64_t n, std::int64_t k,
            Scalar<T> alpha, OperandOf<T> a, OperandOf<T> b, Scalar<T> beta, T* c,
            std::int64_t ldc);

  /// Many products in one call, divided between both sides by products, with one launch for many:
  /// C_i = alpha op(A_i) op(B_i) + beta C_i, where A_i begins i stride_a elements behind `a`, and
  /// B_i and C_i likewise. stride_a and stride_b may be 0. No C overlaps another one or any A or B.
  /// count == 0: nothing. The arithmetic is exact, whatever set_math() said. \throws as gemm, with
  /// the positions a 8, lda 9, stride_a 10, b 11, ldb 12, stride_b 13, beta 14, c 15, ldc 16,
  /// stride_c 17, count 18; ArgumentError where a stride is negative, or lets matrices C overlap.
  template <typename T>
  void gemm_strided_batched(Layout layout, Op op_a, Op op_b, std::int64_t m, std::int64_t n,
                            std::int64_t k, Scalar<T> alpha, const T* a, std::int64_t lda,
                            std::int64_t stride_a, const T* b, std::int64_t ldb,
                            std::int64_t stride_b, Scalar<T> beta, T* c, std::int64_t ldc,
                            std::int64_t stride_c, std::int64_t count);
  /// The same with arrays of `count` pointers, in any order. Positions as gemm's, count 15.
  template <typename T>
  void gemm_batched(Layout layout, Op op_a, Op op_b, std::int64_t m, std::int64_t n, std::int64_t k,
                    Scalar<T> alpha, const T* const* a, std::int64_t lda, const T* const* b,
                    std::int64_t ldb, Scalar<T> beta, T* const* c, std::int64_t ldc,
                    std::int64_t count);
  /// The same for groups of several shapes. Positions as gemm_batched's, with the group in the
  /// error's text.
  template <typename T>
  void gemm_grouped(Layout layout, const std::vector<GemmGroup<T>>& groups);

  // The rest of level 3. Large calls are one job of a GPU with memory of its own, or products of
  // halves of the matrix and a small rest, which is the CPU BLAS's; T, order of arguments,
  // lifetimes and errors as gemm's. Of a symmetric, Hermitian or triangular matrix only the
  // triangle that `uplo` names is read or written. beta == 0: C is written without being read.

  /// C = alpha A B + beta C (left) or alpha B A + beta C (right), A symmetric, B and C m x n.
  template <typename T>
  void symm(Layout layout, Side side, Uplo uplo, std::int64_t m, std::int64_t n, Scalar<T> alpha,
            const T* a, std::int64_t lda, const T* b, std::int64_t ldb, Scalar<T> beta, T* c,
            std::int64_t ldc);
  /// The same with a Hermitian A, whose diagonal's imaginary parts are not read. Complex types.
  template <typename T>
  void hemm(Layout layout, Side side, Uplo uplo, std::int64_t m, std::int64_t n, Scalar<T> alpha,
            const T* a, std::int64_t lda, const T* b, std::int64_t ldb, Scalar<T> beta, T* c,
            std::int64_t ldc);
  /// C = alpha op(A) op(A)^T + beta C, op(A) n x k, C n x n; complex types: op is none or
  /// transpose.
  template <typename T>
  void syrk(Layout layout, Uplo uplo, Op op, std::int64_t n, std::int64_t k, Scalar<T> alpha,
            const T* a, std::int64_t lda, Scalar<T> beta, T* c, std::int64_t ldc);
  /// C = alpha op(A) op(A)^H + beta C, op none or conj_transpose; the imaginary parts of C's
  /// diagonal become zero. Complex types.
  template <typename T>
  void herk(Layout layout, Uplo uplo, Op op, std::int64_t n, std::int64_t k, Real<T> alpha,
            const T* a, std::int64_t lda, Real<T> beta, T* c, std::int64_t ldc);
  /// C = alpha op(A) op(B)^T + alpha op(B) op(A)^T + beta C; op as syrk's.
  template <typename T>
  void syr2k(Layout layout, Uplo uplo, Op op, std::int64_t n, std::int64_t k, Scalar<T> alpha,
             const T* a, std::int64_t lda, const T* b, std::int64_t ldb, Scalar<T> beta, T* c,
             std::int64_t ldc);
  /// C = alpha op(A) op(B)^H + conj(alpha) op(B) op(A)^H + beta C; op as herk's. Complex types.
  template <typename T>
  void her2k(Layout layout, Uplo uplo, Op op, std::int64_t n, std::int64_t k, Scalar<T> alpha,
             const T* a, std::int64_t lda, const T* b, std::int64_t ldb, Real<T> beta, T* c,
             std::int64_t ldc);
  /// B = alpha op(A) B (left) or alpha B op(A) (right), A triangular, B m x n.
  template <typename T>
  void trmm(Layout layout, Side side, Uplo uplo, Op op, Diag diag, std::int64_t m, std::int64_t n,
            Scalar<T> alpha, const T* a, std::int64_t lda, T* b, std::int64_t ldb);
  /// Solves op(A) X = alpha B (left) or X op(A) = alpha B (right); X replaces B. A is not checked
  /// for being singular.
  template <typename T>
  void trsm(Layout layout, Side side, Uplo uplo, Op op, Diag diag, std::int64_t m, std::int64_t n,
            Scalar<T> alpha, const T* a, std::int64_t lda, T* b, std::int64_t ldb);

  /// y = alpha op(A) x + beta y, A m x n as stored before op; x and y have `incx` and `incy`
  /// elements from one to the next, which are not 0 (negative: from the end of the memory that x or
  /// y points to, as BLAS has it). beta == 0: y is written without being read. y must not overlap A
  /// or x. Lifetimes and errors as gemm's; positions: layout 1, op 2, m 3, n 4, a 6, lda 7, x 8,
  /// incx 9, y 11, incy 12. Memory bounds it: both sides share it only where the GPU reads A where
  /// it is.
  template <typename T>
  void gemv(Layout layout, Op op, std::int64_t m, std::int64_t n, Scalar<T> alpha, const T* a,
            std::int64_t lda, const T* x, std::int64_t incx, Scalar<T> beta, T* y,
            std::int64_t incy);

  /// The same with a prepared A, which is, or begins with, the m x n matrix: a GPU with memory of
  /// its own then computes with its copy. `context.gemv(layout, op, m, n, 1, prepared, x, 1, 0, y,
  /// 1)`.
  template <typename T>
  void gemv(Layout layout, Op op, std::int64_t m, std::int64_t n, Scalar<T> alpha, OperandOf<T> a,
            const T* x, std::int64_t incx, Scalar<T> beta, T* y, std::int64_t incy);

  /// B = alpha op(A), out of place: A is m x n as stored before op, B m x n or n x m, both in
  /// `layout`. B must not overlap A. alpha == 0: A is not read. Lifetimes and errors as gemm's;
  /// positions: layout 1, op 2, m 3, n 4, a 6, lda 7, b 8, ldb 9.
  template <typename T>
  void omatcopy(Layout layout, Op op, std::int64_t m, std::int64_t n, Scalar<T> alpha, const T* a,
                std::int64_t lda, T* b, std::int64_t ldb);

  /// A += alpha x y^T, A m x n (BLAS's ger, and geru of complex types); increments as gemv's. A
  /// must not overlap x or y. alpha == 0: A stays as it is, and nothing is read. Lifetimes and
  /// errors as gemm's; positions: layout 1, m 2, n 3, x 5, incx 6, y 7, incy 8, a 9, lda 10. Memory
  /// bounds it: both sides share it only where the GPU reads and writes A where it is.
  template <typename T>
  void ger(Layout layout, std::int64_t m, std::int64_t n, Scalar<T> alpha, const T* x,
           std::int64_t incx, const T* y, std::int64_t incy, T* a, std::int64_t lda);
  /// A += alpha x y^H, likewise: of real types the same as ger.
  template <typename T>
  void gerc(Layout layout, std::int64_t m, std::int64_t n, Scalar<T> alpha, const T* x,
            std::int64_t incx, const T* y, std::int64_t incy, T* a, std::int64_t lda);

  /// y += alpha x, of n elements; increments as gemv's, or 0 as in the reference BLAS: incx == 0
  /// adds one element again and again, incy == 0 adds all to one. y must not overlap x. alpha == 0:
  /// y stays as it is, and nothing is read. Lifetimes and errors as gemm's; positions: n 1, x 3,
  /// incx 4, y 5, incy 6. Both sides share it where ger would, if vectors have no gaps.
  template <typename T>
  void axpy(std::int64_t n, Scalar<T> alpha, const T* x, std::int64_t incx, T* y,
            std::int64_t incy);

  // Linear equations, as LAPACK solves them (E. Anderson and others, LAPACK Users' Guide, 1999), of
  // any element type. Matrices are column-major, as there: column j of A begins at a + j lda. (A
  // row-major matrix is seen transposed: solve with Op::transpose after getrf; the triangle of a
  // real symmetric one is the other.) Arguments are in LAPACK's order, and positions in errors are
  // LAPACK's. Large factorisations are divided between both sides. Sizes and leading dimensions are
  // at most 2^31 - 65536. No matrix overlaps another, or the pivots; lifetimes as gemm's.
  // \throws ArgumentError (nothing was written); std::bad_alloc (likewise); CpuBlasError where the
  // CPU BLAS has no LAPACK; DeviceError as gemm, with A incomplete.

  /// P L U = A: A, m x n, becomes L (its diagonal of ones is not stored) and U; `pivots` gets
  /// min(m, n) rows, counted from 1: row i traded places with row pivots[i - 1]. \returns 0, or the
  /// first i for which U(i, i) is zero, counted from 1: the factors are complete, but U is
  /// singular.
  template <typename T>
  [[nodiscard]] std::int64_t getrf(std::int64_t m, std::int64_t n, T* a, std::int64_t lda,
                                   std::int64_t* pivots);
  /// L L^H = A (lower) or U^H U = A (upper) of a symmetric or (complex types) Hermitian positive
  /// definite A, n x n, of which the other triangle is neither read nor written, nor are imaginary
  /// parts of the diagonal read. \returns 0, or the order of the first leading minor that is not
  /// positive: A then holds no factors.
  template <typename T>
  [[nodiscard]] std::int64_t potrf(Uplo uplo, std::int64_t n, T* a, std::int64_t lda);
  /// Solves A X = B, A n x n, B n x right_sides: X replaces B, and A and the pivots become those of
  /// getrf. \returns as getrf; where it is not 0, B is as it was.
  template <typename T>
  [[nodiscard]] std::int64_t gesv(std::int64_t n, std::int64_t right_sides, T* a, std::int64_t lda,
                                  std::int64_t* pivots, T* b, std::int64_t ldb);
  /// The same with a symmetric or Hermitian positive definite A, which becomes potrf's. \returns as
  /// potrf; where it is not 0, B is as it was.
  template <typename T>
  [[nodiscard]] std::int64_t posv(Uplo uplo, std::int64_t n, std::int64_t right_sides, T* a,
                                  std::int64_t lda, T* b, std::int64_t ldb);
  /// Solves op(A) X = B with what getrf made of A and of the pivots, each of which has to be from 1
  /// to n; X replaces B. Where U is singular, X has infinities and NaN.
  template <typename T>
  void getrs(Op op, std::int64_t n, std::int64_t right_sides, const T* a, std::int64_t lda,
             const std::int64_t* pivots, T* b, std::int64_t ldb);
  /// Solves A X = B with what potrf made of A; X replaces B.
  template <typename T>
  void potrs(Uplo uplo, std::int64_t n, std::int64_t right_sides, const T* a, std::int64_t lda,
             T* b, std::int64_t ldb);
  /// inv(A) replaces what getrf made of A and of the pivots, each of which has to be from 1 to n.
  /// \returns 0, or the first i for which U(i, i) is zero, counted from 1: nothing was written.
  template <typename T>
  [[nodiscard]] std::int64_t getri(std::int64_t n, T* a, std::int64_t lda,
                                   const std::int64_t* pivots);
  /// inv(A) replaces what potrf made of A; the other triangle is neither read nor written.
  /// \returns as getri, of the factor's diagonal.
  template <typename T>
  [[nodiscard]] std::int64_t potri(Uplo uplo, std::int64_t n, T* a, std::int64_t lda);

  // QR, and least squares by it; matrices, errors and the rest as above. Workspaces are ours. In
  // positions of errors LAPACK's work and lwork are not counted.

  /// Q R = A: A, m x n, becomes R (on and above the diagonal) and, below it, reflectors
  /// H = I - tau v v^H whose product is Q; `tau` gets min(m, n) elements. v is a column of A below
  /// the diagonal, with a 1 there.
  template <typename T>
  void geqrf(std::int64_t m, std::int64_t n, T* a, std::int64_t lda, T* tau);
  /// The first n columns of the product of the first k of geqrf's reflectors, in their place: A is
  /// m x n, m >= n >= k. (LAPACK's ungqr, of complex types.)
  template <typename T>
  void orgqr(std::int64_t m, std::int64_t n, std::int64_t k, T* a, std::int64_t lda, const T* tau);
  /// C = op(Q) C (left) or C op(Q) (right), C m x n, with the product Q of k reflectors that geqrf
  /// left in A's first k columns, of m rows (left) or n (right), which are at least k. op is none
  /// or conj_transpose; of real types transpose is the same. (LAPACK's unmqr, of complex types.)
  template <typename T>
  void ormqr(Side side, Op op, std::int64_t m, std::int64_t n, std::int64_t k, const T* a,
             std::int64_t lda, const T* tau, T* c, std::int64_t ldc);
  /// Least squares with a matrix of full rank, A m x n, op as ormqr's. Where op(A) has at least as
  /// many rows as columns, each column of X makes ||B - op(A) X|| least; else X is the least one
  /// with op(A) X = B. B has as many rows as op(A), X as many as op(A) has columns; both are the
  /// first rows of the same memory of max(m, n) x right_sides elements, X in the place of B; with
  /// more equations than unknowns the squares of the elements below X, summed per column, are the
  /// residual's. A becomes its factors. \returns 0, or the first i for which R(i, i) is zero,
  /// counted from 1: A has not full rank, and there is no X.
  template <typename T>
  [[nodiscard]] std::int64_t gels(Op op, std::int64_t m, std::int64_t n, std::int64_t right_sides,
                                  T* a, std::int64_t lda, T* b, std::int64_t ldb);

  /// Overrides the plan's share at every size, or (nothing) gives the choice back to the plan.
  /// \throws SettingError outside 1 <= parts <= 1024, 0 <= gpu_parts <= parts.
  void set_split(std::optional<Share> split);

  /// The arithmetic of the following calls (see MathMode). Where the device cannot do it, calls are
  /// exact as ever.
  void set_math(MathMode math);

  /// Which of the GPU's results are checked from the next call on (see CheckMode).
  void set_check(CheckMode check);

  /// What the calling thread's last product in any context did.
  static CallSummary last_call();

  /// Device, CPU BLAS and profile in a few lines; opens the device, but in a forked child.
  std::string describe();

 private:
  friend struct ContextEngine;
  struct State;
  std::unique_ptr<State> state_;
};

#define DUOBLAS_GEMM_OF(T)                                                                         \
  extern template DUOBLAS_API void Context::gemm<T>(                                               \
      Layout, Op, Op, std::int64_t, std::int64_t, std::int64_t, Scalar<T>, const T*, std::int64_t, \
      const T*, std::int64_t, Scalar<T>, T*, std::int64_t);                                        \
  extern template DUOBLAS_API Job Context::gemm_async<T>(                                          \
      Layout, Op, Op, std::int64_t, std::int64_t, std::int64_t, Scalar<T>, const T*, std::int64_t, \
      const T*, std::int64_t, Scalar<T>, T*, std::int64_t);                                        \
  extern template DUOBLAS_API Prepared<T> Context::prepare<T>(Layout, std::int64_t, std::int64_t,  \
                                                              const T*, std::int64_t);             \
  extern template DUOBLAS_API void Context::gemm<T>(Layout, Op, Op, std::int64_t, std::int64_t,    \
                                                    std::int64_t, Scalar<T>, OperandOf<T>,         \
                                                    OperandOf<T>, Scalar<T>, T*, std::int64_t);    \
  extern template DUOBLAS_API void Context::gemv<T>(Layout, Op, std::int64_t, std::int64_t,        \
                                                    Scalar<T>, const T*, std::int64_t, const T*,   \
                                                    std::int64_t, Scalar<T>, T*, std::int64_t);    \
  extern template DUOBLAS_API void Context::gemv<T>(Layout, Op, std::int64_t, std::int64_t,        \
                                                    Scalar<T>, OperandOf<T>, const T*,             \
                                                    std::int64_t, Scalar<T>, T*, std::int64_t);    \
  extern template DUOBLAS_API void Context::omatcopy<T>(Layout, Op, std::int64_t, std::int64_t,    \
                                                        Scalar<T>, const T*, std::int64_t, T*,     \
                                                        std::int64_t);                             \
  extern template DUOBLAS_API void Context::ger<T>(Layout, std::int64_t, std::int64_t, Scalar<T>,  \
                                                   const T*, std::int64_t, const T*, std::int64_t, \
                                                   T*, std::int64_t);                              \
  extern template DUOBLAS_API void Context::gerc<T>(Layout, std::int64_t, std::int64_t, Scalar<T>, \
                                                    const T*, std::int64_t, const T*,              \
                                                    std::int64_t, T*, std::int64_t);               \
  extern template DUOBLAS_API void Context::axpy<T>(std::int64_t, Scalar<T>, const T*,             \
                                                    std::int64_t, T*, std::int64_t);               \
  extern template DUOBLAS_API void Context::gemm_strided_batched<T>(                               \
      Layout, Op, Op, std::int64_t, std::int64_t, std::int64_t, Scalar<T>, const T*, std::int64_t, \
      std::int64_t, const T*, std::int64_t, std::int64_t, Scalar<T>, T*, std::int64_t,             \
      std::int64_t, std::int64_t);                                                                 \
  extern template DUOBLAS_API void Context::gemm_batched<T>(                                       \
      Layout, Op, Op, std::int64_t, std::int64_t, std::int64_t, Scalar<T>, const T* const*,        \
      std::int64_t, const T* const*, std::int64_t, Scalar<T>, T* const*, std::int64_t,             \
      std::int64_t);                                                                               \
  extern template DUOBLAS_API void Context::gemm_grouped<T>(Layout,                                \
                                                            const std::vector<GemmGroup<T>>&)
DUOBLAS_GEMM_OF(float);
DUOBLAS_GEMM_OF(double);
DUOBLAS_GEMM_OF(std::complex<float>);
DUOBLAS_GEMM_OF(std::complex<double>);
#undef DUOBLAS_GEMM_OF

}  // namespace duoblas

#endif
