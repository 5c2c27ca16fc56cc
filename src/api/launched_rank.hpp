// Which of a job's processes this is, by what launchers say in the environment.
#pragma once

#include <string>

#include <duoblas/settings.hpp>

namespace duoblas {

/// `variable`: a variable's value; empty: not set. A launcher that names no number on this host
/// says 0, one that names no count 1.
Rank launched_rank(std::string (*variable)(const char*));

}  // namespace duoblas
