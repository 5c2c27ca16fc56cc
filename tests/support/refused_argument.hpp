// Which argument of a call is illegal.
#pragma once

#include <string>

#include <duoblas/error.hpp>

namespace duoblas::test {

struct RefusedArgument {
  int position = 0;  ///< as in ArgumentError; 0: all arguments were accepted
  std::string name, what;
};

template <typename Call>
RefusedArgument refused_argument(Call&& call) {
  try {
    call();
  } catch (const ArgumentError& error) {
    return {error.position(), error.name(), error.what()};
  }
  return {};
}

template <typename Call>
int refused_position(Call&& call) {
  return refused_argument(call).position;
}

}  // namespace duoblas::test
