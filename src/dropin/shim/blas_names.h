/* The table of names: every routine under every naming scheme. The entries and the linker's list
 * of exported symbols are both made from it. */
#ifndef DUOBLAS_DROPIN_BLAS_NAMES_H
#define DUOBLAS_DROPIN_BLAS_NAMES_H

/* SCHEME(convention, integer, prefix, suffix). The scipy_ names are those of the OpenBLAS inside
 * the wheels of NumPy and SciPy. */
#define FORTRAN_SCHEMES(SCHEME)             \
  SCHEME(FORTRAN_32, int32_t, , _)          \
  SCHEME(FORTRAN_32, int32_t, scipy_, _)    \
  SCHEME(FORTRAN_64, int64_t, , _64_)       \
  SCHEME(FORTRAN_64, int64_t, , 64_)        \
  SCHEME(FORTRAN_64, int64_t, scipy_, _64_) \
  SCHEME(FORTRAN_64, int64_t, scipy_, 64_)

#define CBLAS_SCHEMES(SCHEME)               \
  SCHEME(CBLAS_32, int32_t, cblas_, )       \
  SCHEME(CBLAS_32, int32_t, scipy_cblas_, ) \
  SCHEME(CBLAS_64, int64_t, cblas_, 64_)    \
  SCHEME(CBLAS_64, int64_t, cblas_, _64)    \
  SCHEME(CBLAS_64, int64_t, scipy_cblas_, 64_)

/* ROUTINE(shape, routine, name, precision, alpha, beta, scheme...). Routines of one shape have the
 * same arguments. How CBLAS takes the scalars: f float, d double, p a pointer. */
#define OF_REALS(ROUTINE, shape, routine, name, ...)     \
  ROUTINE(shape, routine, s##name, s, f, f, __VA_ARGS__) \
  ROUTINE(shape, routine, d##name, d, d, d, __VA_ARGS__)
#define OF_COMPLEX(ROUTINE, shape, routine, name, ...)   \
  ROUTINE(shape, routine, c##name, c, p, p, __VA_ARGS__) \
  ROUTINE(shape, routine, z##name, z, p, p, __VA_ARGS__)
#define OF_ALL(ROUTINE, shape, routine, name, ...)     \
  OF_REALS(ROUTINE, shape, routine, name, __VA_ARGS__) \
  OF_COMPLEX(ROUTINE, shape, routine, name, __VA_ARGS__)

#define BLAS_ROUTINES(ROUTINE, ...)                   \
  OF_ALL(ROUTINE, GEMV, GEMV, gemv, __VA_ARGS__)      \
  OF_ALL(ROUTINE, GEMM, GEMM, gemm, __VA_ARGS__)      \
  OF_ALL(ROUTINE, SYMM, SYMM, symm, __VA_ARGS__)      \
  OF_COMPLEX(ROUTINE, SYMM, HEMM, hemm, __VA_ARGS__)  \
  OF_ALL(ROUTINE, SYRK, SYRK, syrk, __VA_ARGS__)      \
  ROUTINE(SYRK, HERK, cherk, c, f, f, __VA_ARGS__)    \
  ROUTINE(SYRK, HERK, zherk, z, d, d, __VA_ARGS__)    \
  OF_ALL(ROUTINE, SYR2K, SYR2K, syr2k, __VA_ARGS__)   \
  ROUTINE(SYR2K, HER2K, cher2k, c, p, f, __VA_ARGS__) \
  ROUTINE(SYR2K, HER2K, zher2k, z, p, d, __VA_ARGS__) \
  OF_ALL(ROUTINE, TRMM, TRMM, trmm, __VA_ARGS__)      \
  OF_ALL(ROUTINE, TRMM, TRSM, trsm, __VA_ARGS__)

/* The same for ?copy, which has no scalars. */
#define COPY_ROUTINES(ROUTINE, ...) OF_ALL(ROUTINE, COPY, COPY, copy, __VA_ARGS__)

/* The same for LAPACK, which has only Fortran names; LAPACKE calls those. There are no scalars. */
#define LAPACK_ROUTINES(ROUTINE, ...)                   \
  OF_ALL(ROUTINE, GETRF, GETRF, getrf, __VA_ARGS__)     \
  OF_ALL(ROUTINE, POTRF, POTRF, potrf, __VA_ARGS__)     \
  OF_ALL(ROUTINE, GESV, GESV, gesv, __VA_ARGS__)        \
  OF_ALL(ROUTINE, POSV, POSV, posv, __VA_ARGS__)        \
  OF_ALL(ROUTINE, GETRS, GETRS, getrs, __VA_ARGS__)     \
  OF_ALL(ROUTINE, POTRS, POTRS, potrs, __VA_ARGS__)     \
  OF_ALL(ROUTINE, GETRI, GETRI, getri, __VA_ARGS__)     \
  OF_ALL(ROUTINE, GEQRF, GEQRF, geqrf, __VA_ARGS__)     \
  OF_REALS(ROUTINE, ORGQR, ORGQR, orgqr, __VA_ARGS__)   \
  OF_COMPLEX(ROUTINE, ORGQR, ORGQR, ungqr, __VA_ARGS__) \
  OF_REALS(ROUTINE, ORMQR, ORMQR, ormqr, __VA_ARGS__)   \
  OF_COMPLEX(ROUTINE, ORMQR, ORMQR, unmqr, __VA_ARGS__)

#endif
