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
#define BLAS_ROUTINES(ROUTINE, ...)                   \
  ROUTINE(GEMV, GEMV, sgemv, s, f, f, __VA_ARGS__)    \
  ROUTINE(GEMV, GEMV, dgemv, d, d, d, __VA_ARGS__)    \
  ROUTINE(GEMV, GEMV, cgemv, c, p, p, __VA_ARGS__)    \
  ROUTINE(GEMV, GEMV, zgemv, z, p, p, __VA_ARGS__)    \
  ROUTINE(GEMM, GEMM, sgemm, s, f, f, __VA_ARGS__)    \
  ROUTINE(GEMM, GEMM, dgemm, d, d, d, __VA_ARGS__)    \
  ROUTINE(GEMM, GEMM, cgemm, c, p, p, __VA_ARGS__)    \
  ROUTINE(GEMM, GEMM, zgemm, z, p, p, __VA_ARGS__)    \
  ROUTINE(SYMM, SYMM, ssymm, s, f, f, __VA_ARGS__)    \
  ROUTINE(SYMM, SYMM, dsymm, d, d, d, __VA_ARGS__)    \
  ROUTINE(SYMM, SYMM, csymm, c, p, p, __VA_ARGS__)    \
  ROUTINE(SYMM, SYMM, zsymm, z, p, p, __VA_ARGS__)    \
  ROUTINE(SYMM, HEMM, chemm, c, p, p, __VA_ARGS__)    \
  ROUTINE(SYMM, HEMM, zhemm, z, p, p, __VA_ARGS__)    \
  ROUTINE(SYRK, SYRK, ssyrk, s, f, f, __VA_ARGS__)    \
  ROUTINE(SYRK, SYRK, dsyrk, d, d, d, __VA_ARGS__)    \
  ROUTINE(SYRK, SYRK, csyrk, c, p, p, __VA_ARGS__)    \
  ROUTINE(SYRK, SYRK, zsyrk, z, p, p, __VA_ARGS__)    \
  ROUTINE(SYRK, HERK, cherk, c, f, f, __VA_ARGS__)    \
  ROUTINE(SYRK, HERK, zherk, z, d, d, __VA_ARGS__)    \
  ROUTINE(SYR2K, SYR2K, ssyr2k, s, f, f, __VA_ARGS__) \
  ROUTINE(SYR2K, SYR2K, dsyr2k, d, d, d, __VA_ARGS__) \
  ROUTINE(SYR2K, SYR2K, csyr2k, c, p, p, __VA_ARGS__) \
  ROUTINE(SYR2K, SYR2K, zsyr2k, z, p, p, __VA_ARGS__) \
  ROUTINE(SYR2K, HER2K, cher2k, c, p, f, __VA_ARGS__) \
  ROUTINE(SYR2K, HER2K, zher2k, z, p, d, __VA_ARGS__) \
  ROUTINE(TRMM, TRMM, strmm, s, f, f, __VA_ARGS__)    \
  ROUTINE(TRMM, TRMM, dtrmm, d, d, d, __VA_ARGS__)    \
  ROUTINE(TRMM, TRMM, ctrmm, c, p, p, __VA_ARGS__)    \
  ROUTINE(TRMM, TRMM, ztrmm, z, p, p, __VA_ARGS__)    \
  ROUTINE(TRMM, TRSM, strsm, s, f, f, __VA_ARGS__)    \
  ROUTINE(TRMM, TRSM, dtrsm, d, d, d, __VA_ARGS__)    \
  ROUTINE(TRMM, TRSM, ctrsm, c, p, p, __VA_ARGS__)    \
  ROUTINE(TRMM, TRSM, ztrsm, z, p, p, __VA_ARGS__)

/* The same for ?copy, which has no scalars. */
#define COPY_ROUTINES(ROUTINE, ...)              \
  ROUTINE(COPY, COPY, scopy, s, , , __VA_ARGS__) \
  ROUTINE(COPY, COPY, dcopy, d, , , __VA_ARGS__) \
  ROUTINE(COPY, COPY, ccopy, c, , , __VA_ARGS__) \
  ROUTINE(COPY, COPY, zcopy, z, , , __VA_ARGS__)

/* The same for LAPACK, which has only Fortran names; LAPACKE calls those. There are no scalars. */
#define LAPACK_ROUTINES(ROUTINE, ...)               \
  ROUTINE(GETRF, GETRF, sgetrf, s, , , __VA_ARGS__) \
  ROUTINE(GETRF, GETRF, dgetrf, d, , , __VA_ARGS__) \
  ROUTINE(GETRF, GETRF, cgetrf, c, , , __VA_ARGS__) \
  ROUTINE(GETRF, GETRF, zgetrf, z, , , __VA_ARGS__) \
  ROUTINE(POTRF, POTRF, spotrf, s, , , __VA_ARGS__) \
  ROUTINE(POTRF, POTRF, dpotrf, d, , , __VA_ARGS__) \
  ROUTINE(POTRF, POTRF, cpotrf, c, , , __VA_ARGS__) \
  ROUTINE(POTRF, POTRF, zpotrf, z, , , __VA_ARGS__) \
  ROUTINE(GESV, GESV, sgesv, s, , , __VA_ARGS__)    \
  ROUTINE(GESV, GESV, dgesv, d, , , __VA_ARGS__)    \
  ROUTINE(GESV, GESV, cgesv, c, , , __VA_ARGS__)    \
  ROUTINE(GESV, GESV, zgesv, z, , , __VA_ARGS__)    \
  ROUTINE(POSV, POSV, sposv, s, , , __VA_ARGS__)    \
  ROUTINE(POSV, POSV, dposv, d, , , __VA_ARGS__)    \
  ROUTINE(POSV, POSV, cposv, c, , , __VA_ARGS__)    \
  ROUTINE(POSV, POSV, zposv, z, , , __VA_ARGS__)    \
  ROUTINE(GETRS, GETRS, sgetrs, s, , , __VA_ARGS__) \
  ROUTINE(GETRS, GETRS, dgetrs, d, , , __VA_ARGS__) \
  ROUTINE(GETRS, GETRS, cgetrs, c, , , __VA_ARGS__) \
  ROUTINE(GETRS, GETRS, zgetrs, z, , , __VA_ARGS__) \
  ROUTINE(POTRS, POTRS, spotrs, s, , , __VA_ARGS__) \
  ROUTINE(POTRS, POTRS, dpotrs, d, , , __VA_ARGS__) \
  ROUTINE(POTRS, POTRS, cpotrs, c, , , __VA_ARGS__) \
  ROUTINE(POTRS, POTRS, zpotrs, z, , , __VA_ARGS__) \
  ROUTINE(GETRI, GETRI, sgetri, s, , , __VA_ARGS__) \
  ROUTINE(GETRI, GETRI, dgetri, d, , , __VA_ARGS__) \
  ROUTINE(GETRI, GETRI, cgetri, c, , , __VA_ARGS__) \
  ROUTINE(GETRI, GETRI, zgetri, z, , , __VA_ARGS__) \
  ROUTINE(POTRI, POTRI, spotri, s, , , __VA_ARGS__) \
  ROUTINE(POTRI, POTRI, dpotri, d, , , __VA_ARGS__) \
  ROUTINE(POTRI, POTRI, cpotri, c, , , __VA_ARGS__) \
  ROUTINE(POTRI, POTRI, zpotri, z, , , __VA_ARGS__) \
  ROUTINE(GEQRF, GEQRF, sgeqrf, s, , , __VA_ARGS__) \
  ROUTINE(GEQRF, GEQRF, dgeqrf, d, , , __VA_ARGS__) \
  ROUTINE(GEQRF, GEQRF, cgeqrf, c, , , __VA_ARGS__) \
  ROUTINE(GEQRF, GEQRF, zgeqrf, z, , , __VA_ARGS__) \
  ROUTINE(ORGQR, ORGQR, sorgqr, s, , , __VA_ARGS__) \
  ROUTINE(ORGQR, ORGQR, dorgqr, d, , , __VA_ARGS__) \
  ROUTINE(ORGQR, ORGQR, cungqr, c, , , __VA_ARGS__) \
  ROUTINE(ORGQR, ORGQR, zungqr, z, , , __VA_ARGS__) \
  ROUTINE(ORMQR, ORMQR, sormqr, s, , , __VA_ARGS__) \
  ROUTINE(ORMQR, ORMQR, dormqr, d, , , __VA_ARGS__) \
  ROUTINE(ORMQR, ORMQR, cunmqr, c, , , __VA_ARGS__) \
  ROUTINE(ORMQR, ORMQR, zunmqr, z, , , __VA_ARGS__) \
  ROUTINE(GELS, GELS, sgels, s, , , __VA_ARGS__)    \
  ROUTINE(GELS, GELS, dgels, d, , , __VA_ARGS__)    \
  ROUTINE(GELS, GELS, cgels, c, , , __VA_ARGS__)    \
  ROUTINE(GELS, GELS, zgels, z, , , __VA_ARGS__)

#endif
