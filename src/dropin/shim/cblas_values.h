/* The constants of CBLAS, and conversions of Fortran letters to them; 0: an illegal letter. */
#ifndef DUOBLAS_DROPIN_CBLAS_VALUES_H
#define DUOBLAS_DROPIN_CBLAS_VALUES_H

enum {
  ROW_MAJOR = 101,
  COLUMN_MAJOR = 102,
  NO_TRANS = 111,
  TRANS = 112,
  CONJ_TRANS = 113,
  UPPER = 121,
  LOWER = 122,
  NON_UNIT = 131,
  UNIT = 132,
  LEFT = 141,
  RIGHT = 142
};

/* Letters differ from their capitals in one bit. */
static inline int choice(char letter, char first, int first_value, char second, int second_value) {
  const int capital = letter & ~0x20;
  return capital == first ? first_value : capital == second ? second_value : 0;
}

static inline int op_of(char letter) {
  return (letter & ~0x20) == 'N' ? NO_TRANS : choice(letter, 'T', TRANS, 'C', CONJ_TRANS);
}

static inline int uplo_of(char letter) {
  return choice(letter, 'U', UPPER, 'L', LOWER);
}

static inline int diag_of(char letter) {
  return choice(letter, 'N', NON_UNIT, 'U', UNIT);
}

static inline int side_of(char letter) {
  return choice(letter, 'L', LEFT, 'R', RIGHT);
}

#endif
