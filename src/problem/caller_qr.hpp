// Checks of QR's arguments. Those of all of LAPACK are in caller_lapack.hpp.
#pragma once

#include <cstdint>
#include <string_view>

#include "problem/lapack_problem.hpp"
#include "problem/named_arguments.hpp"

namespace duoblas {

bool is_op(Op op);
/// From 0 to most_lapack_extent. \throws ArgumentError.
void require_extent(const NamedArguments& check, std::int64_t given, std::string_view name);

/// "" if it is not a function of the interface.
std::string_view argument_names_of_qr(LapackRoutine routine);
/// \throws ArgumentError. \pre is_orthogonal(problem.routine).
void check_qr(const NamedArguments& check, const LapackProblem& problem);

}  // namespace duoblas
