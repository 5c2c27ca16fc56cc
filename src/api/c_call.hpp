// Runs what a C function stands for: converts its arguments, calls C++, and gives the result back.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <type_traits>
#include <utility>

#include "api/c_arguments.hpp"
#include "api/c_status.hpp"

namespace duoblas {

// Each function here is `inline` because GCC then makes one function of a C function's whole body.
// Else a small call would store its arguments and pass on their addresses.

// What a parameter of C++ is kept as until the call: references to const as what they refer to.
template <typename Parameter>
using Kept = std::conditional_t<std::is_const_v<std::remove_reference_t<Parameter>>,
                                std::remove_cvref_t<Parameter>, Parameter>;

// The C arguments, by their places. Not std::tuple, which takes ten times as long to compile: there
// are 168 functions of up to 18 arguments.
template <std::size_t i, typename Argument>
struct GivenAt {
  const Argument& argument;
};
template <typename Places, typename... Arguments>
struct Given;
template <std::size_t... i, typename... Arguments>
struct Given<std::index_sequence<i...>, Arguments...> : GivenAt<i, Arguments>... {};

template <typename... Arguments>
using GivenOf = Given<std::index_sequence_for<Arguments...>, Arguments...>;

template <std::size_t i, typename Argument>
inline const Argument& argument_at(const GivenAt<i, Argument>& given) {
  return given.argument;
}

// Calls in its constructor: what is within braces there is computed from left to right.
template <typename Result>
struct Called {
  template <typename Function, typename... Arguments>
  inline Called(const Function& function, Arguments&&... arguments)
      : result(function(std::forward<Arguments>(arguments)...)) {}
  Result result;
};
template <>
struct Called<void> {
  template <typename Function, typename... Arguments>
  inline Called(const Function& function, Arguments&&... arguments) {
    function(std::forward<Arguments>(arguments)...);
  }
};

template <typename T, typename Result, typename... Parameters, std::size_t... i, typename Function,
          typename From>
inline Called<Result> converted(std::index_sequence<i...>, const Function& function,
                                const From& given) {
  CArguments<T> arguments;
  return Called<Result>{function,
                        arguments.template next<Kept<Parameters>>(argument_at<i>(given))...};
}

/// Calls a method of the default context, a method of the DeviceBlas that C gives first, or a
/// function. `given`: the C arguments; what it has more is where the result goes.
template <typename T, typename Result, typename... Parameters, typename From>
inline Called<Result> compute(Result (Context::*method)(Parameters...), const From& given) {
  const auto on_default = [method](auto&&... arguments) -> Result {
    return (Context::process_default().*method)(arguments...);
  };
  return converted<T, Result, Parameters...>(std::index_sequence_for<Parameters...>(), on_default,
                                             given);
}
template <typename T, typename Result, typename... Parameters, typename From>
inline Called<Result> compute(Result (DeviceBlas::*method)(Parameters...), const From& given) {
  const auto on_blas = [method](DeviceBlas& blas, auto&&... arguments) -> Result {
    return (blas.*method)(arguments...);
  };
  return converted<T, Result, DeviceBlas&, Parameters...>(
      std::index_sequence_for<DeviceBlas&, Parameters...>(), on_blas, given);
}
template <typename T, typename Result, typename... Parameters, typename From>
inline Called<Result> compute(Result (*function)(Parameters...), const From& given) {
  return converted<T, Result, Parameters...>(std::index_sequence_for<Parameters...>(), function,
                                             given);
}

/// The body of a C function. If `computed` has a result, the last argument is the place for a
/// pointer to a handle that holds it; that is null until then.
template <typename T, typename Computed, typename... Arguments>
inline duoblas_status call(Computed computed, const Arguments&... arguments) noexcept {
  return guarded([&] {
    const GivenOf<Arguments...> given{{arguments}...};
    if constexpr (std::is_same_v<decltype(compute<T>(computed, given)), Called<void>>) {
      compute<T>(computed, given);
    } else {
      auto** const place = argument_at<sizeof...(arguments) - 1>(given);
      using Handle = std::remove_pointer_t<std::remove_pointer_t<decltype(place)>>;
      if (place == nullptr)
        throw ArgumentError((numbers_of<Arguments> + ...), Handle::name, "is a null pointer");
      *place = nullptr;
      auto made = std::make_unique<Handle>();
      made->object = compute<T>(computed, given).result;
      *place = made.release();
    }
  });
}

/// A method that returns LAPACK's info, and the text of the error if that is not 0, with a place
/// for the number.
template <typename Method>
struct WithInfo {
  Method method;
  const char* text;
};
template <typename Method>
WithInfo(Method, const char*) -> WithInfo<Method>;  // Clang 14 does not deduce it by itself

/// Its last argument, which may be null, gets the info.
template <typename T, typename Method, typename... Arguments>
inline duoblas_status call(const WithInfo<Method>& computed,
                           const Arguments&... arguments) noexcept {
  const GivenOf<Arguments...> given{{arguments}...};
  std::int64_t at = 0;
  const duoblas_status status = guarded([&] { at = compute<T>(computed.method, given).result; });
  if (status != DUOBLAS_OK) return status;
  std::int64_t* const info = argument_at<sizeof...(arguments) - 1>(given);
  if (info != nullptr) *info = at;
  if (at == 0) return DUOBLAS_OK;
  char text[160];
  std::snprintf(text, sizeof text, computed.text, static_cast<long long>(at));
  return c_failure(DUOBLAS_SINGULAR, text);
}

}  // namespace duoblas
