/* By this name DuoBLAS knows itself under any file name, and does not take itself for the BLAS that
 * it passes calls on to. */
__attribute__((visibility("default"))) const char* duoblas_dropin_version(void);

const char* duoblas_dropin_version(void) {
  return DUOBLAS_VERSION;
}
