// The one-letter names of op() in profiles and output, those of BLAS in lower case: n, t, c.
#pragma once

#include <optional>

#include <duoblas/types.hpp>

namespace duoblas {

constexpr char letter(Op op) {
  switch (op) {
    case Op::none: return 'n';
    case Op::transpose: return 't';
    case Op::conj_transpose: return 'c';
  }
  return '?';
}

constexpr std::optional<Op> op_from(char letter) {
  switch (letter) {
    case 'n': return Op::none;
    case 't': return Op::transpose;
    case 'c': return Op::conj_transpose;
    default: return std::nullopt;
  }
}

}  // namespace duoblas
