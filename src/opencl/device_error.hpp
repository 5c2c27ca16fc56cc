// Turns a cl_int into an exception whose text helps: the call, the code's name, what to do.
#pragma once

#include <string>

namespace duoblas::cl {

/// "CL_OUT_OF_RESOURCES"; "unknown OpenCL error" for a number that no header names.
const char* error_name(int code);

/// \throws DeviceError "<call> failed: <name> (<code>); <advice>", with `detail` if given.
[[noreturn]] void throw_failed(const char* call, int code, const std::string& detail = {});

/// Throws unless the call succeeded.
inline void check(const char* call, int code) {
  if (code != 0) throw_failed(call, code);
}

}  // namespace duoblas::cl
