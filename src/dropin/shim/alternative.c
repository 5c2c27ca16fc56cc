// libblas.so.3 in the place of a system's: a library that has next to nothing of its own, and needs
// the drop-in first and a whole BLAS after it. A program's loader looks for names in that order, so
// that level 3 and gemv are the drop-in's, and the rest is that BLAS's.
__attribute__((visibility("default"))) const char* duoblas_alternative_version(void);
const char* duoblas_dropin_version(void);

const char* duoblas_alternative_version(void) {
  return duoblas_dropin_version();
}
