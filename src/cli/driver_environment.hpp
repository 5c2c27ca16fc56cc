// The environment variables that change the behaviour of drivers and BLAS libraries.
#pragma once

#include <map>
#include <string>

namespace duoblas::cli {

/// Those that are set, DuoBLAS's own among them.
std::map<std::string, std::string> driver_environment();

}  // namespace duoblas::cli
