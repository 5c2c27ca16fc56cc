// The exceptions of DuoBLAS. src/api turns them into the C interface's status codes.
#ifndef DUOBLAS_ERROR_HPP
#define DUOBLAS_ERROR_HPP

#include <stdexcept>
#include <string>

#include <duoblas/export.hpp>

namespace duoblas {

/// Root of DuoBLAS's own exceptions (not of std::bad_alloc). what() names what to do about it.
class DUOBLAS_API Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// An argument of a BLAS call is illegal; nothing was written.
class DUOBLAS_API ArgumentError : public Error {
 public:
  /// `position` counts from 1 in the order of the C interface (`layout` is 1, `ldc` is 14).
  ArgumentError(int position, const std::string& name, const std::string& reason)
      : Error("argument " + std::to_string(position) + " (" + name + ") " + reason),
        position_(position),
        name_(name) {}
  int position() const noexcept { return position_; }
  const std::string& name() const noexcept { return name_; }

 private:
  int position_;
  std::string name_;
};

/// A setting (environment variable, option or profile) cannot be used as given.
class DUOBLAS_API SettingError : public Error {
 public:
  using Error::Error;
};

/// An OpenCL call failed. A caller sees it from DeviceBlas, and where a GPU hangs that may still
/// write to the result; after other failures of the GPU the library continues on the CPU.
class DUOBLAS_API DeviceError : public Error {
 public:
  explicit DeviceError(const std::string& what, int code = 0) : Error(what), code_(code) {}
  /// The cl_int that the call returned; 0 if there was none.
  int code() const noexcept { return code_; }

 private:
  int code_;
};

/// No CPU BLAS can be used.
class DUOBLAS_API CpuBlasError : public Error {
 public:
  using Error::Error;
};

}  // namespace duoblas

#endif
