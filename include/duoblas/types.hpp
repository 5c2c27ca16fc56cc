// The vocabulary of level 3: storage order, op(), triangles, strategy, share, types of scalars.
#ifndef DUOBLAS_TYPES_HPP
#define DUOBLAS_TYPES_HPP

#include <complex>
#include <string_view>

#include <duoblas/export.hpp>

namespace duoblas {

/// Storage order of the caller's matrices.
enum class Layout { row_major, column_major };

/// op(X): X itself, its transpose, or its conjugate transpose (the transpose, for real types).
enum class Op { none, transpose, conj_transpose };

/// On which side of the product a triangular, symmetric or Hermitian matrix stands.
enum class Side { left, right };

/// Which triangle of such a matrix is stored. The other one is neither read nor written.
enum class Uplo { upper, lower };

/// Whether the diagonal of a triangular matrix is stored, or all ones and never read.
enum class Diag { non_unit, unit };

/// Which side computes a product. `automatic` lets the profile of this machine decide.
enum class Strategy { automatic, cpu, gpu, hybrid };

/// The arithmetic of products. `tf32x3` is opt-in: on a GPU with TF32 matrix instructions each
/// product of floats becomes three products of 11-bit numbers. That is faster and no less accurate
/// than float (docs/results/h200.md). Operands with infinities, NaNs or
/// extreme exponents are still computed exactly. Everything else is exact in both modes.
enum class MathMode { exact, tf32x3 };

/// How a GPU multiplies doubles. native: by its doubles; without them the CPU has such products.
/// integers: by sums of bytes modulo several numbers, as exactly as doubles would, or else the CPU
/// does it. automatic: native where there are doubles, else by integers.
enum class Fp64Mode { automatic, native, integers };

/// Which of the GPU's results are checked before a call returns. off: none. sampled: a kernel's
/// first results, then as many as take half a percent of the calls' time. always: all. If a result
/// is wrong, the CPU computes it again, and the kernel is not used any more.
enum class CheckMode { off, sampled, always };

/// The GPU's share of C: `gpu_parts` of `parts` equal parts (p_g of P), 1 <= parts <= 1024.
struct Share {
  int gpu_parts = 0;
  int parts = 16;

  double fraction() const { return static_cast<double>(gpu_parts) / parts; }
  friend bool operator==(const Share& x, const Share& y) {
    return x.gpu_parts == y.gpu_parts && x.parts == y.parts;
  }
};

/// 1 <= parts <= 1024 and 0 <= gpu_parts <= parts.
inline bool is_valid(const Share& share) {
  return share.parts >= 1 && share.parts <= 1024 && share.gpu_parts >= 0 &&
         share.gpu_parts <= share.parts;
}

/// The names used in settings, profiles and output: "auto", "cpu", "gpu", "hybrid".
DUOBLAS_API std::string_view name(Strategy strategy);

/// T itself, but not deduced from the argument, so that `1` or `1.0` can be given for any element
/// type.
template <typename T>
struct ScalarOf {
  using type = T;
};
template <typename T>
using Scalar = typename ScalarOf<T>::type;

/// The type of a complex number's parts. Hermitian routines have scalars of this type.
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

}  // namespace duoblas

#endif
