// The variables of the environment that change what a driver or a BLAS does.
#pragma once

#include <map>
#include <string>

namespace duoblas::cli {

/// The variables of drivers, loaders and BLAS libraries that are set, DuoBLAS's own among them.
std::map<std::string, std::string> driver_environment();

}  // namespace duoblas::cli
