// A CPU and a GPU made ready to multiply together.
#ifndef DUOBLAS_CONTEXT_HPP
#define DUOBLAS_CONTEXT_HPP

#include <complex>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include <duoblas/error.hpp>
#include <duoblas/export.hpp>
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

/// What one call did.
struct CallSummary {
  Strategy strategy = Strategy::cpu;  ///< cpu, gpu or hybrid
  Share share;                        ///< the GPU's share that the plan asked for
  std::int64_t gpu_rows = 0;          ///< rows of the row-major C (or columns, see by_columns)
  bool by_columns = false;
  bool recovered = false;  ///< the GPU failed; the CPU computed its part
  double seconds = 0;      ///< whole call
  std::string reason;      ///< why this plan
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
  /// or B. \throws ArgumentError (nothing was written), CpuBlasError.
  template <typename T>
  void gemm(Layout layout, Op op_a, Op op_b, std::int64_t m, std::int64_t n, std::int64_t k,
            Scalar<T> alpha, const T* a, std::int64_t lda, const T* b, std::int64_t ldb,
            Scalar<T> beta, T* c, std::int64_t ldc);

  /// Overrides the plan's share at every size, or (nothing) gives the choice back to the plan.
  /// \throws SettingError outside 1 <= parts <= 1024, 0 <= gpu_parts <= parts.
  void set_split(std::optional<Share> split);

  /// The arithmetic of the following calls (see MathMode). Where the device cannot do it, calls are
  /// exact as ever.
  void set_math(MathMode math);

  /// What the calling thread's last product in any context did.
  static CallSummary last_call();

  /// Device, CPU BLAS and profile in a few lines; opens the device.
  std::string describe();

 private:
  friend struct ContextEngine;
  struct State;
  std::unique_ptr<State> state_;
};

#define DUOBLAS_GEMM_OF(T)                                                                         \
  extern template DUOBLAS_API void Context::gemm<T>(                                               \
      Layout, Op, Op, std::int64_t, std::int64_t, std::int64_t, Scalar<T>, const T*, std::int64_t, \
      const T*, std::int64_t, Scalar<T>, T*, std::int64_t)
DUOBLAS_GEMM_OF(float);
DUOBLAS_GEMM_OF(double);
DUOBLAS_GEMM_OF(std::complex<float>);
DUOBLAS_GEMM_OF(std::complex<double>);
#undef DUOBLAS_GEMM_OF

}  // namespace duoblas

#endif
