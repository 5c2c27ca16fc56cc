// A context: a CPU and a GPU that compute together.
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

/// What happened in one call. For a call of several products (trsm by halves, a factorisation) it
/// describes the first and largest one; for a batch, the one that took longest, or those that the
/// CPU did together (seconds and numbers of products are all's). Rows and columns are those of the
/// row-major C: a column-major C is its transpose.
struct CallSummary {
  Strategy strategy = Strategy::cpu;  ///< cpu, gpu or hybrid
  Share share;                        ///< the GPU's share of the work that the plan asked for
  /// Rows of C that the GPU had (or columns, see by_columns); of the rest of level 3 as one job of
  /// the GPU, rows of the triangle or right-hand sides.
  std::int64_t gpu_rows = 0;
  bool by_columns = false;
  std::int64_t products = 1;  ///< in a batch
  /// Products of a batch in which the GPU had a part.
  std::int64_t gpu_products = 0;
  /// The CPU computed the GPU's part, too: the GPU failed, or numbers did not suit it, as `reason`
  /// says.
  bool recovered = false;
  double seconds = 0;  ///< whole call
  std::string reason;  ///< why this plan
  /// Of a call of a program with the drop-in BLAS: the program's own BLAS did it.
  bool passed_on = false;
};

/// Owns the device, the CPU BLAS instances and the profile. Any number of threads may multiply in
/// one context at once. Nothing is loaded before the first product large enough to need it.
/// A forked child computes on the CPU.
class DUOBLAS_API Context {
 public:
  /// \throws SettingError if the settings cannot be met.
  explicit Context(const Settings& settings = Settings::from_environment());
  ~Context();
  Context(Context&&) noexcept;
  Context& operator=(Context&&) noexcept;

  /// The context behind duoblas::gemm and the C interface, with the environment's settings; never
  /// destroyed. \throws SettingError if the environment cannot be met.
  static Context& process_default();

  /// C = alpha op(A) op(B) + beta C, with op(A) m x k, op(B) k x n, C m x n and leading dimensions
  /// in elements. T is float, double, std::complex<float> or std::complex<double>. beta == 0: C is
  /// written without being read. A, B and C are used only until the return. C must not overlap A or
  /// B. \throws ArgumentError (nothing was written); std::bad_alloc (likewise); CpuBlasError;
  /// DeviceError if the GPU hangs and may still write to C, which is then incomplete. After any
  /// other failure of the GPU the CPU completes C.
  template <typename T>
  void gemm(Layout layout, Op op_a, Op op_b, std::int64_t m, std::int64_t n, std::int64_t k,
            Scalar<T> alpha, const T* a, std::int64_t lda, const T* b, std::int64_t ldb,
            Scalar<T> beta, T* c, std::int64_t ldc);

  /// The same beside the calling thread: checks the arguments, hands the work to a thread of this
  /// context and returns. Jobs run in the order of their calls, one at a time; other calls do not
  /// wait for them. Until the job has ended, the matrices must stay in place, A and B unchanged.
  /// The context's destructor waits for its jobs. In a forked child, or if no thread can be
  /// started, the work is done before the return. \throws ArgumentError (nothing was started).
  /// Job::wait throws what gemm would throw otherwise.
  template <typename T>
  Job gemm_async(Layout layout, Op op_a, Op op_b, std::int64_t m, std::int64_t n, std::int64_t k,
                 Scalar<T> alpha, const T* a, std::int64_t lda, const T* b, std::int64_t ldb,
                 Scalar<T> beta, T* c, std::int64_t ldc);

  /// Prepares a matrix of `rows` x `columns`, as it is stored (before op), for several products. If
  /// the GPU computes on copies, the matrix is copied there now, and the copy stays until the
  /// result is destroyed. \throws ArgumentError with positions 1 (layout), 2, 3, 4 (data) and 5
  /// (ld).
  template <typename T>
  Prepared<T> prepare(Layout layout, std::int64_t rows, std::int64_t columns, const T* data,
                      std::int64_t ld);

  /// The product with prepared operands: `context.gemm(layout, op_a, op_b, m, n, k, 1, prepared_a,
  /// {b, ldb}, 0, c, ldc)`. A prepared matrix has this call's layout. It is the operand, or the
  /// operand is its upper left part. \throws as the other gemm, with the same positions.
  template <typename T>
  void gemm(Layout layout, Op op_a, Op op_b, std::int64_t m, std::int64_t n, std::int64_t k,
            Scalar<T> alpha, OperandOf<T> a, OperandOf<T> b, Scalar<T> beta, T* c,
            std::int64_t ldc);

  /// Many products in one call: C_i = alpha op(A_i) op(B_i) + beta C_i. A_i begins i stride_a
  /// elements behind `a`; B_i and C_i likewise. Large products are done one after another, each as
  /// gemm does it, and the CPU does the others at once; all go one by one if the GPU was asked for.
  /// stride_a and stride_b may be 0. No C may overlap another C or any A or B. If count == 0,
  /// nothing happens. The arithmetic is exact, whatever set_math() was given.
  /// \throws as gemm, with the positions a 8, lda 9, stride_a 10, b 11, ldb 12, stride_b 13, beta
  /// 14, c 15, ldc 16, stride_c 17, count 18; ArgumentError if a stride is negative or makes
  /// matrices C overlap.
  template <typename T>
  void gemm_strided_batched(Layout layout, Op op_a, Op op_b, std::int64_t m, std::int64_t n,
                            std::int64_t k, Scalar<T> alpha, const T* a, std::int64_t lda,
                            std::int64_t stride_a, const T* b, std::int64_t ldb,
                            std::int64_t stride_b, Scalar<T> beta, T* c, std::int64_t ldc,
                            std::int64_t stride_c, std::int64_t count);
  /// The same with arrays of `count` pointers, in any order. Positions as for gemm; count is 15.
  template <typename T>
  void gemm_batched(Layout layout, Op op_a, Op op_b, std::int64_t m, std::int64_t n, std::int64_t k,
                    Scalar<T> alpha, const T* const* a, std::int64_t lda, const T* const* b,
                    std::int64_t ldb, Scalar<T> beta, T* const* c, std::int64_t ldc,
                    std::int64_t count);
  /// The same for groups of several shapes. Positions as for gemm_batched, with the group in the
  /// error's text.
  template <typename T>
  void gemm_grouped(Layout layout, const std::vector<GemmGroup<T>>& groups);

  // The rest of level 3. A large call is one job of the GPU, beside which the CPU does a part; or
  // it becomes products of halves of the matrix and a small rest, which the CPU BLAS does. T, order
  // of arguments, lifetimes and errors are as for gemm. A symmetric, Hermitian or triangular A is m
  // x m (left) or n x n (right). Only the triangle that `uplo` names is read or written. beta == 0:
  // C is written without being read.

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

  /// y = alpha op(A) x + beta y, with A m x n as stored before op. `incx` and `incy` are the
  /// distances between elements, and are not 0. If one is negative, the vector begins at the end of
  /// its memory, as in BLAS. beta == 0: y is written without being read. y must not overlap A or x.
  /// Lifetimes and errors as for gemm; positions: layout 1, op 2, m 3, n 4, a 6, lda 7, x 8, incx
  /// 9, y 11, incy 12. The call is memory-bound, so both sides share it only if the GPU reads A in
  /// place.
  template <typename T>
  void gemv(Layout layout, Op op, std::int64_t m, std::int64_t n, Scalar<T> alpha, const T* a,
            std::int64_t lda, const T* x, std::int64_t incx, Scalar<T> beta, T* y,
            std::int64_t incy);

  /// The same with a prepared A. It is the m x n matrix, or that is its upper left part. A GPU with
  /// memory of its own then computes with its copy. `context.gemv(layout, op, m, n, 1, prepared, x,
  /// 1, 0, y, 1)`.
  template <typename T>
  void gemv(Layout layout, Op op, std::int64_t m, std::int64_t n, Scalar<T> alpha, OperandOf<T> a,
            const T* x, std::int64_t incx, Scalar<T> beta, T* y, std::int64_t incy);

  // Linear equations, as LAPACK solves them (E. Anderson and others, LAPACK Users' Guide, 1999),
  // for any element type. Matrices are column-major, as there: column j of A begins at a + j lda.
  // (A row-major matrix looks transposed: solve with Op::transpose after getrf, and swap upper and
  // lower for a real symmetric matrix.) Arguments and positions in errors are in LAPACK's order.
  // Large factorisations are divided between both sides. Sizes and leading dimensions are at most
  // 2^31 - 65536. No matrix may overlap another one or the pivots; lifetimes as for gemm. \throws
  // ArgumentError (nothing was written); std::bad_alloc (likewise); CpuBlasError if the CPU BLAS
  // has no LAPACK; DeviceError as gemm, and then A is incomplete.

  /// P L U = A, with A m x n. A becomes L (its unit diagonal is not stored) and U. `pivots` gets
  /// min(m, n) row numbers, counted from 1: row i was exchanged with row pivots[i - 1]. \returns 0,
  /// or the first i, counted from 1, for which U(i, i) is zero: then the factors are complete, but
  /// U is singular.
  template <typename T>
  [[nodiscard]] std::int64_t getrf(std::int64_t m, std::int64_t n, T* a, std::int64_t lda,
                                   std::int64_t* pivots);
  /// L L^H = A (lower) or U^H U = A (upper), with a symmetric or (complex types) Hermitian positive
  /// definite n x n matrix A. The other triangle is neither read nor written; imaginary parts of
  /// the diagonal are not read. \returns 0, or the order of the first leading minor that is not
  /// positive: then A holds no factors.
  template <typename T>
  [[nodiscard]] std::int64_t potrf(Uplo uplo, std::int64_t n, T* a, std::int64_t lda);
  /// Solves A X = B, with A n x n, B n x right_sides. X replaces B; A and the pivots become those
  /// of getrf. \returns as getrf; if that is not 0, B stays as it was.
  template <typename T>
  [[nodiscard]] std::int64_t gesv(std::int64_t n, std::int64_t right_sides, T* a, std::int64_t lda,
                                  std::int64_t* pivots, T* b, std::int64_t ldb);
  /// The same with a symmetric or Hermitian positive definite A, which becomes that of potrf.
  /// \returns as potrf; if that is not 0, B stays as it was.
  template <typename T>
  [[nodiscard]] std::int64_t posv(Uplo uplo, std::int64_t n, std::int64_t right_sides, T* a,
                                  std::int64_t lda, T* b, std::int64_t ldb);
  /// Solves op(A) X = B, with the A and pivots that getrf made. Each pivot must be from 1 to n. X
  /// replaces B. If U is singular, X contains infinities and NaN.
  template <typename T>
  void getrs(Op op, std::int64_t n, std::int64_t right_sides, const T* a, std::int64_t lda,
             const std::int64_t* pivots, T* b, std::int64_t ldb);
  /// Solves A X = B, with the A that potrf made. X replaces B.
  template <typename T>
  void potrs(Uplo uplo, std::int64_t n, std::int64_t right_sides, const T* a, std::int64_t lda,
             T* b, std::int64_t ldb);
  /// inv(A) replaces A, with the A and pivots that getrf made. Each pivot must be from 1 to n.
  /// \returns 0, or the first i, counted from 1, for which U(i, i) is zero: then nothing was
  /// written.
  template <typename T>
  [[nodiscard]] std::int64_t getri(std::int64_t n, T* a, std::int64_t lda,
                                   const std::int64_t* pivots);

  // QR. Matrices, errors and the rest are as above. The library allocates
  // workspaces itself; LAPACK's work and lwork are not counted in the positions of errors.

  /// Q R = A, with A m x n. R replaces A on and above the diagonal. Below it are the reflectors H =
  /// I - tau v v^H whose product is Q: v is a column of A below the diagonal, with a 1 on it. `tau`
  /// gets min(m, n) elements.
  template <typename T>
  void geqrf(std::int64_t m, std::int64_t n, T* a, std::int64_t lda, T* tau);
  /// Replaces A by the first n columns of the product of geqrf's first k reflectors. A is m x n, m
  /// >= n >= k. (LAPACK's ungqr for complex types.)
  template <typename T>
  void orgqr(std::int64_t m, std::int64_t n, std::int64_t k, T* a, std::int64_t lda, const T* tau);
  /// C = op(Q) C (left) or C op(Q) (right), with C m x n. Q is the product of the k reflectors that
  /// geqrf left in A's first k columns. A has m rows (left) or n (right), at least k. op is none or
  /// conj_transpose; for real types transpose is the same. (LAPACK's unmqr for complex types.)
  template <typename T>
  void ormqr(Side side, Op op, std::int64_t m, std::int64_t n, std::int64_t k, const T* a,
             std::int64_t lda, const T* tau, T* c, std::int64_t ldc);

  /// Overrides the plan's share at every size. Nothing: the plan chooses again. \throws
  /// SettingError outside 1 <= parts <= 1024, 0 <= gpu_parts <= parts.
  void set_split(std::optional<Share> split);

  /// Who computes from the next call on, instead of Settings::strategy. A split that set_split()
  /// was given comes first.
  void set_strategy(Strategy strategy);

  /// The arithmetic of the following calls (see MathMode). On devices without that arithmetic calls
  /// stay exact.
  void set_math(MathMode math);

  /// Which of the GPU's results are checked from the next call on (see CheckMode).
  void set_check(CheckMode check);

  /// What the calling thread's last product in any context did, or its last call of the drop-in
  /// BLAS that was looked at: calls that cannot gain are not, unless DUOBLAS_SUMMARY or
  /// DUOBLAS_VERBOSE=2 asks about all.
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
