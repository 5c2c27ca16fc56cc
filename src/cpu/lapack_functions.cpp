// How LAPACK is called: by Fortran's conventions.
#include <algorithm>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <utility>

#include "cpu/blas_functions.hpp"

namespace duoblas {
namespace {

// Sizes become Fortran's integers; letters and memory stay as they are.
int narrow(std::int64_t size) {
  return static_cast<int>(size);
}
char narrow(char letter) {
  return letter;
}
template <typename T>
T* narrow(T* memory) {
  return memory;
}

template <typename T>
const T* address(const T& value) {
  return &value;
}
template <typename T>
T* address(T* const& memory) {
  return memory;
}

template <std::size_t>
constexpr std::size_t length_of_letter = 1;

// Fortran takes addresses. Its compilers append the lengths of letters.
template <std::size_t... letters, typename... Given>
void call_by_address(std::index_sequence<letters...>, void* function, const Given&... given) {
  using Function = void (*)(decltype(address(given))..., decltype(letters)...);
  reinterpret_cast<Function>(function)(address(given)..., length_of_letter<letters>...);
}
template <typename... Given>
void fortran(void* function, const Given&... given) {
  constexpr std::size_t letters = (std::is_same_v<Given, char> + ... + 0);
  call_by_address(std::make_index_sequence<letters>(), function, narrow(given)...);
}
template <typename... Given>
int info_of(void* function, const Given&... given) {
  int info = 0;
  fortran(function, given..., &info);
  return info;
}

}  // namespace

// The routines are faster with memory for a whole block, which is 64 columns wide. ormqr's
// triangular factor takes 65 x 64 elements.
std::int64_t good_work(const LapackProblem& p) {
  constexpr std::int64_t block = 64;
  switch (p.routine) {
    case LapackRoutine::getri:
    case LapackRoutine::geqrf:
    case LapackRoutine::orgqr: return block * p.n;
    case LapackRoutine::ormqr: return block * std::max<std::int64_t>(p.right_sides, 1) + block * 65;
    default: return 0;
  }
}

std::int64_t least_work(const LapackProblem& p) {
  switch (p.routine) {
    case LapackRoutine::getri:
    case LapackRoutine::geqrf:
    case LapackRoutine::orgqr: return std::max<std::int64_t>(p.n, 1);
    case LapackRoutine::ormqr: return std::max<std::int64_t>(p.right_sides, 1);
    default: return 0;
  }
}

int BlasFunctions::call(const LapackProblem& p, const LapackWork& work) const {
  void* const f = function(p.routine, p.precision);
  const char uplo = p.uplo == Uplo::upper ? 'U' : 'L';
  const char op = p.op == Op::none ? 'N' : p.op == Op::transpose ? 'T' : 'C';
  // The letter for the adjoint; unitary routines need it too.
  const char adjoint = p.op == Op::none ? 'N' : is_complex(p.precision) ? 'C' : 'T';
  // Clamped to what an int holds, which is enough for every legal call.
  const std::int64_t length =
      std::min<std::int64_t>(work.elements, std::numeric_limits<int>::max());
  switch (p.routine) {
    case LapackRoutine::getrf: return info_of(f, p.m, p.n, p.a, p.lda, p.pivots);
    case LapackRoutine::potrf: return info_of(f, uplo, p.n, p.a, p.lda);
    case LapackRoutine::gesv:
      return info_of(f, p.n, p.right_sides, p.a, p.lda, p.pivots, p.b, p.ldb);
    case LapackRoutine::posv:
    case LapackRoutine::potrs: return info_of(f, uplo, p.n, p.right_sides, p.a, p.lda, p.b, p.ldb);
    case LapackRoutine::getrs:
      return info_of(f, op, p.n, p.right_sides, p.a, p.lda, p.pivots, p.b, p.ldb);
    case LapackRoutine::getri: return info_of(f, p.n, p.a, p.lda, p.pivots, work.memory, length);
    case LapackRoutine::laswp:
      fortran(f, p.n, p.a, p.lda, p.first_row + 1, p.last_row, p.pivots,
              std::int64_t{p.backwards ? -1 : 1});
      return 0;
    case LapackRoutine::geqrf: return info_of(f, p.m, p.n, p.a, p.lda, p.tau, work.memory, length);
    case LapackRoutine::orgqr:
      return info_of(f, p.m, p.n, p.reflectors, p.a, p.lda, p.tau, work.memory, length);
    case LapackRoutine::ormqr: {
      const bool is_left = p.side == Side::left;
      return info_of(f, is_left ? 'L' : 'R', adjoint, is_left ? p.m : p.right_sides,
                     is_left ? p.right_sides : p.m, p.n, p.a, p.lda, p.tau, p.b, p.ldb, work.memory,
                     length);
    }
  }
  return 0;
}

}  // namespace duoblas
