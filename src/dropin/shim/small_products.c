#include "dropin/shim/small_products.h"

#include <stddef.h>
#include <stdint.h>

#include "dropin/shim/cblas_values.h"

typedef const char* letter;
typedef const int64_t* number;

typedef void fortran_copy(number, const void*, number, void*, number);
typedef void fortran_gemv(letter, number, number, const void*, const void*, number, const void*,
                          number, const void*, void*, number, size_t);
typedef void fortran_gemm(letter, letter, number, number, number, const void*, const void*, number,
                          const void*, number, const void*, void*, number, size_t, size_t);
typedef void fortran_symm(letter, letter, number, number, const void*, const void*, number,
                          const void*, number, const void*, void*, number, size_t, size_t);
typedef void fortran_syrk(letter, letter, number, number, const void*, const void*, number,
                          const void*, void*, number, size_t, size_t);
typedef void fortran_triangular(letter, letter, letter, letter, number, number, const void*,
                                const void*, number, void*, number, size_t, size_t, size_t, size_t);

/* Triangles have a diagonal of ones: nobody divides by zero. */
static void multiply_by_fortran(int routine, blas_routine* definition, double* z) {
  static const int64_t one = 1;
  switch (routine) {
    case COPY: ((fortran_copy*)definition)(&one, z, &one, z, &one); break;
    case DUOBLAS_GEMV:
      ((fortran_gemv*)definition)("N", &one, &one, z, z, &one, z, &one, z, z, &one, 1);
      break;
    case DUOBLAS_GEMM:
      ((fortran_gemm*)definition)("N", "N", &one, &one, &one, z, z, &one, z, &one, z, z, &one, 1,
                                  1);
      break;
    case DUOBLAS_SYRK:
    case DUOBLAS_HERK:
      ((fortran_syrk*)definition)("U", "N", &one, &one, z, z, &one, z, z, &one, 1, 1);
      break;
    case DUOBLAS_TRMM:
    case DUOBLAS_TRSM:
      ((fortran_triangular*)definition)("L", "U", "N", "U", &one, &one, z, z, &one, z, &one, 1, 1,
                                        1, 1);
      break;
    default: { /* symm, hemm; syr2k and her2k with other letters in the same places */
      const int is_symm = routine == DUOBLAS_SYMM || routine == DUOBLAS_HEMM;
      ((fortran_symm*)definition)(is_symm ? "L" : "U", is_symm ? "U" : "N", &one, &one, z, z, &one,
                                  z, &one, z, z, &one, 1, 1);
    }
  }
}

/* One function for each way in which CBLAS takes the scalars. Integers are as wide as a register.
 */
#define CBLAS_KIND(kind, alpha_type, beta_type, alpha, beta)                                      \
  typedef void kind##_gemv(int, int, int64_t, int64_t, alpha_type, const void*, int64_t,          \
                           const void*, int64_t, beta_type, void*, int64_t);                      \
  typedef void kind##_gemm(int, int, int, int64_t, int64_t, int64_t, alpha_type, const void*,     \
                           int64_t, const void*, int64_t, beta_type, void*, int64_t);             \
  typedef void kind##_symm(int, int, int, int64_t, int64_t, alpha_type, const void*, int64_t,     \
                           const void*, int64_t, beta_type, void*, int64_t);                      \
  typedef void kind##_syrk(int, int, int, int64_t, int64_t, alpha_type, const void*, int64_t,     \
                           beta_type, void*, int64_t);                                            \
  typedef void kind##_triangular(int, int, int, int, int, int64_t, int64_t, alpha_type,           \
                                 const void*, int64_t, void*, int64_t);                           \
  static void kind(int routine, blas_routine* definition, double* z) {                            \
    const int layout = COLUMN_MAJOR;                                                              \
    switch (routine) {                                                                            \
      case DUOBLAS_GEMV:                                                                          \
        ((kind##_gemv*)definition)(layout, NO_TRANS, 1, 1, alpha, z, 1, z, 1, beta, z, 1);        \
        break;                                                                                    \
      case DUOBLAS_GEMM:                                                                          \
        ((kind##_gemm*)definition)(layout, NO_TRANS, NO_TRANS, 1, 1, 1, alpha, z, 1, z, 1, beta,  \
                                   z, 1);                                                         \
        break;                                                                                    \
      case DUOBLAS_SYMM:                                                                          \
      case DUOBLAS_HEMM:                                                                          \
        ((kind##_symm*)definition)(layout, LEFT, UPPER, 1, 1, alpha, z, 1, z, 1, beta, z, 1);     \
        break;                                                                                    \
      case DUOBLAS_SYR2K:                                                                         \
      case DUOBLAS_HER2K:                                                                         \
        ((kind##_symm*)definition)(layout, UPPER, NO_TRANS, 1, 1, alpha, z, 1, z, 1, beta, z, 1); \
        break;                                                                                    \
      case DUOBLAS_SYRK:                                                                          \
      case DUOBLAS_HERK:                                                                          \
        ((kind##_syrk*)definition)(layout, UPPER, NO_TRANS, 1, 1, alpha, z, 1, beta, z, 1);       \
        break;                                                                                    \
      default:                                                                                    \
        ((kind##_triangular*)definition)(layout, LEFT, UPPER, NO_TRANS, UNIT, 1, 1, alpha, z, 1,  \
                                         z, 1);                                                   \
    }                                                                                             \
  }

CBLAS_KIND(with_floats, float, float, 0, 0)
CBLAS_KIND(with_doubles, double, double, 0, 0)
CBLAS_KIND(with_addresses, const void*, const void*, z, z)
CBLAS_KIND(with_address_and_float, const void*, float, z, 0)
CBLAS_KIND(with_address_and_double, const void*, double, z, 0)

typedef void cblas_copy(int64_t, const void*, int64_t, void*, int64_t);

static void multiply_by_cblas(int routine, char precision, blas_routine* definition, double* z) {
  if (routine == COPY) {
    ((cblas_copy*)definition)(1, z, 1, z, 1);
    return;
  }
  const int is_single = precision == 's' || precision == 'c';
  const int has_real_scalars = precision == 's' || precision == 'd' || routine == DUOBLAS_HERK;
  if (has_real_scalars)
    (is_single ? with_floats : with_doubles)(routine, definition, z);
  else if (routine == DUOBLAS_HER2K)
    (is_single ? with_address_and_float : with_address_and_double)(routine, definition, z);
  else
    with_addresses(routine, definition, z);
}

void multiply_zeros(const struct alias* alias, blas_routine* definition, double zeros[4]) {
  if (alias->convention == FORTRAN_32 || alias->convention == FORTRAN_64)
    multiply_by_fortran(alias->routine, definition, zeros);
  else
    multiply_by_cblas(alias->routine, precision_of(alias), definition, zeros);
}
