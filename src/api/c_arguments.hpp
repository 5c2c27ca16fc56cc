// Converts the arguments of C programs to ours.
#pragma once

#include <complex>
#include <cstdint>
#include <type_traits>
#include <utility>
#include <variant>

#include <duoblas/duoblas.h>
#include <duoblas/opencl.h>
#include <duoblas/context.hpp>
#include <duoblas/error.hpp>
#include <duoblas/job.hpp>
#include <duoblas/opencl.hpp>
#include <duoblas/prepared.hpp>

// What the pointers of C programs point to.
struct duoblas_job {
  static constexpr const char* name = "job";  // of the argument that gets it
  duoblas::Job object;
};

struct duoblas_prepared {
  static constexpr const char* name = "prepared";
  std::variant<duoblas::Prepared<float>, duoblas::Prepared<double>,
               duoblas::Prepared<std::complex<float>>, duoblas::Prepared<std::complex<double>>>
      object;
};

struct duoblas_device_blas {
  duoblas::DeviceBlas object;
};

namespace duoblas {

// A value that is no enumerator stays illegal, so that check() reports it.

inline Layout from_c(duoblas_layout layout) {
  switch (layout) {
    case DUOBLAS_ROW_MAJOR: return Layout::row_major;
    case DUOBLAS_COLUMN_MAJOR: return Layout::column_major;
  }
  return static_cast<Layout>(-1);
}

inline Op from_c(duoblas_op op) {
  switch (op) {
    case DUOBLAS_NO_TRANS: return Op::none;
    case DUOBLAS_TRANS: return Op::transpose;
    case DUOBLAS_CONJ_TRANS: return Op::conj_transpose;
  }
  return static_cast<Op>(-1);
}

inline Side from_c(duoblas_side side) {
  switch (side) {
    case DUOBLAS_LEFT: return Side::left;
    case DUOBLAS_RIGHT: return Side::right;
  }
  return static_cast<Side>(-1);
}

inline Uplo from_c(duoblas_uplo uplo) {
  switch (uplo) {
    case DUOBLAS_UPPER: return Uplo::upper;
    case DUOBLAS_LOWER: return Uplo::lower;
  }
  return static_cast<Uplo>(-1);
}

inline Diag from_c(duoblas_diag diag) {
  switch (diag) {
    case DUOBLAS_NON_UNIT: return Diag::non_unit;
    case DUOBLAS_UNIT: return Diag::unit;
  }
  return static_cast<Diag>(-1);
}

inline DeviceMatrix from_c(const duoblas_device_matrix& given) {
  return {given.buffer, given.offset, given.ld};
}

inline DeviceVector from_c(const duoblas_device_vector& given) {
  return {given.buffer, given.offset, given.increment};
}

/// \throws DeviceError if it is null.
inline DeviceBlas& from_c(duoblas_device_blas* blas) {
  if (blas == nullptr) throw DeviceError("the duoblas_device_blas is a null pointer");
  return blas->object;
}

/// How many numbers of illegal arguments are of one C argument: a structure's leading dimension or
/// increment has its own. The queue has none.
template <typename Given>
inline constexpr int numbers_of = 1;
template <>
inline constexpr int numbers_of<duoblas_device_blas*> = 0;
template <>
inline constexpr int numbers_of<duoblas_operand> = 2;
template <>
inline constexpr int numbers_of<duoblas_device_matrix> = 2;
template <>
inline constexpr int numbers_of<duoblas_device_matrices> = 2;
template <>
inline constexpr int numbers_of<duoblas_device_vector> = 2;

/// Converts the arguments of one C function, one after another, to the types that C++ wants; of two
/// that cannot be converted the first is named. T: the element type, for which C has `void` if it
/// is complex.
template <typename T>
class CArguments {
 public:
  /// \throws ArgumentError, DeviceError.
  template <typename Wanted, typename Given>
  Wanted next(const Given& given) {
    const int position = std::exchange(position_, position_ + numbers_of<Given>);
    if constexpr (std::is_same_v<Wanted, Given>) {
      return given;
    } else if constexpr (std::is_pointer_v<Wanted>) {
      return elements<Wanted>(given);
    } else if constexpr (std::is_same_v<Wanted, T>) {
      return scalar(given, position);
    } else if constexpr (std::is_same_v<Wanted, Operand<T>>) {
      return operand(given, position);
    } else if constexpr (std::is_same_v<Wanted, DeviceEvents>) {
      return events(given, position);
    } else {
      return from_c(given);
    }
  }

 private:
  // C has no type for a pointer to a complex number either, so its arrays hold pointers to void.
  template <typename Wanted, typename Given>
  static Wanted elements(Given given) {
    using Target = std::remove_pointer_t<Given>;
    if constexpr (std::is_void_v<Target>) {
      return static_cast<Wanted>(given);
    } else {
      static_assert(std::is_void_v<std::remove_pointer_t<Target>>);
      return reinterpret_cast<Wanted>(given);
    }
  }

  // BLAS calls the first scalar alpha and the second one beta.
  T scalar(const void* given, int position) {
    const char* const name = std::exchange(has_alpha_, true) ? "beta" : "alpha";
    if (given == nullptr) throw ArgumentError(position, name, "is a null pointer");
    return *static_cast<const T*>(given);
  }

  Operand<T> operand(const duoblas_operand& given, int position) {
    const char* const name = std::exchange(has_a_, true) ? "b" : "a";
    if (given.prepared == nullptr) return {static_cast<const T*>(given.data), given.ld};
    const auto* prepared = std::get_if<Prepared<T>>(&given.prepared->object);
    if (prepared == nullptr)
      throw ArgumentError(position, name, "was prepared with another element type");
    return *prepared;
  }

  static DeviceEvents events(const duoblas_device_events* given, int position) {
    DeviceEvents events;
    if (given == nullptr) return events;
    if (given->count > 0 && given->after == nullptr)
      throw ArgumentError(position, "events", "counts events, but names none");
    events.after.assign(given->after, given->after + given->count);
    events.done = given->done;
    return events;
  }

  int position_ = 1;
  bool has_alpha_ = false, has_a_ = false;
};

}  // namespace duoblas
