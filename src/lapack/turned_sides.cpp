#include "lapack/turned_sides.hpp"

#include <cstddef>
#include <cstdint>

#include "problem/adjoint.hpp"

namespace duoblas {
namespace {

// Columns begin at a cache line, so that copies may bypass the caches.
constexpr std::int64_t in_lines(std::int64_t elements) {
  constexpr std::int64_t line = 16;
  return (elements + line - 1) / line * line;
}

}  // namespace

LapackProblem seen_from_left(const LapackProblem& p) {
  LapackProblem left = p;
  left.side = Side::left;
  left.op = p.op == Op::none ? adjoint(p.precision) : Op::none;
  left.ldb = in_lines(p.m);
  return left;
}

TurnedSides::TurnedSides(Engine& engine, const LapackProblem& p, const CpuConfig& cpu)
    : engine_(engine),
      p_(p),
      cpu_(cpu),
      from_left_(seen_from_left(p)),
      memory_(static_cast<std::size_t>(from_left_.ldb * p.right_sides) *
              element_size(p.precision)) {
  from_left_.b = memory_.data();
  engine_.cpu().run(
      AdjointCopy{p.precision, p.right_sides, p.m, p.b, p.ldb, from_left_.b, from_left_.ldb}, cpu_);
}

void TurnedSides::turn_back() const {
  engine_.cpu().run(
      AdjointCopy{p_.precision, p_.m, p_.right_sides, from_left_.b, from_left_.ldb, p_.b, p_.ldb},
      cpu_);
}

}  // namespace duoblas
