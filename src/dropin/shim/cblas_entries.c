/* The CBLAS names. */
#include "dropin/shim/entry.h"

#define ADDRESS_f &
#define ADDRESS_d &
#define ADDRESS_p
#define ADDRESS_OF_alpha(convention, integer, alpha, beta) ADDRESS_##alpha
#define ADDRESS_OF_beta(convention, integer, alpha, beta) ADDRESS_##beta

#define VALUE_LETTER(name, C) name
#define VALUE_SIZE(name, C) (INTEGER_OF C) name
#define VALUE_SCALAR(name, C) ADDRESS_OF_##name C name
#define VALUE_IN(name, C) name
#define VALUE_OUT(name, C) name

#define REST_LETTER(name) name
#define REST_SIZE(name) REST.name
#define REST_SCALAR(name) name
#define REST_IN(name) REST.name
#define REST_OUT(name) REST.name

#define ARGUMENT(kind, name, C) , name
#define REST_ARGUMENT(kind, name, C) , REST_##kind(name)
#define INTEGER(kind, name, C) IF_SIZE_##kind(, &name)
#define MEMBER(kind, name, C) , .name = VALUE_##kind(name, C)
#define AS_DOUBLE_CBLAS_32(name) ((double)(int32_t)name)
#define AS_DOUBLE_CBLAS_64(name) ((double)name)

#define CBLAS_ROUTINE(shape, routine, name, precision, alpha, beta, convention, integer, prefix, \
                      suffix)                                                                    \
  ENTRY(prefix##name##suffix, name, convention,                                                  \
        (CBLAS_PARAMETERS(shape, (convention, integer, alpha, beta))),                           \
        (layout shape##_ARGUMENTS(ARGUMENT, )),                                                  \
        (layout shape##_ARGUMENTS(shape##_REST(REST_ARGUMENT, ARGUMENT), )),                     \
        (LIST_OF(shape##_ARGUMENTS(INTEGER, ))), DUOBLAS_##routine, precision,                   \
        shape##_FLOPS(AS_DOUBLE_##convention, side) * PAIR_##precision,                          \
        .layout = layout shape##_ARGUMENTS(MEMBER, (convention, integer, alpha, beta)))

#define CBLAS_SCHEME(convention, integer, prefix, suffix) \
  BLAS_ROUTINES(CBLAS_ROUTINE, convention, integer, prefix, suffix)

CBLAS_SCHEMES(CBLAS_SCHEME)
