// Runs what a C function stands for: converts its arguments, calls C++, and gives the result back.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <tuple>
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

template <typename T, typename... Parameters, typename Given>
inline auto converted(const Given& given) {
  CArguments<T> arguments;
  return [&]<std::size_t... i>(std::index_sequence<i...>) {
    return std::tuple<Kept<Parameters>...>{
        // braces: from left to right
        arguments.template next<Kept<Parameters>>(std::get<i>(given))...};
  }
  (std::index_sequence_for<Parameters...>());
}

/// Calls a method of the default context, a method of the DeviceBlas that C gives first, or a
/// function. `given`: a tuple of the C arguments; what it has more is where the result goes.
template <typename T, typename Result, typename... Parameters, typename Given>
inline Result compute(Result (Context::*method)(Parameters...), const Given& given) {
  const auto on_default = [&](const auto&... arguments) -> Result {
    return (Context::process_default().*method)(arguments...);
  };
  return std::apply(on_default, converted<T, Parameters...>(given));
}
template <typename T, typename Result, typename... Parameters, typename Given>
inline Result compute(Result (DeviceBlas::*method)(Parameters...), const Given& given) {
  return std::apply(method, converted<T, DeviceBlas&, Parameters...>(given));
}
template <typename T, typename Result, typename... Parameters, typename Given>
inline Result compute(Result (*function)(Parameters...), const Given& given) {
  return std::apply(function, converted<T, Parameters...>(given));
}

/// The body of a C function. If `computed` has a result, the last argument is the place for a
/// pointer to a handle that holds it; that is null until then.
template <typename T, typename Computed, typename... Given>
inline duoblas_status call(Computed computed, const Given&... given) noexcept {
  return guarded([&] {
    const auto arguments = std::tie(given...);
    if constexpr (std::is_void_v<decltype(compute<T>(computed, arguments))>) {
      compute<T>(computed, arguments);
    } else {
      auto** const place = std::get<sizeof...(given) - 1>(arguments);
      using Handle = std::remove_pointer_t<std::remove_pointer_t<decltype(place)>>;
      if (place == nullptr)
        throw ArgumentError((numbers_of<Given> + ...), Handle::name, "is a null pointer");
      *place = nullptr;
      auto made = std::make_unique<Handle>();
      made->object = compute<T>(computed, arguments);
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
template <typename T, typename Method, typename... Given>
inline duoblas_status call(const WithInfo<Method>& computed, const Given&... given) noexcept {
  const auto arguments = std::tie(given...);
  std::int64_t at = 0;
  const duoblas_status status = guarded([&] { at = compute<T>(computed.method, arguments); });
  if (status != DUOBLAS_OK) return status;
  std::int64_t* const info = std::get<sizeof...(given) - 1>(arguments);
  if (info != nullptr) *info = at;
  if (at == 0) return DUOBLAS_OK;
  char text[160];
  std::snprintf(text, sizeof text, computed.text, static_cast<long long>(at));
  return c_failure(DUOBLAS_SINGULAR, text);
}

}  // namespace duoblas
