#include "api/c_status.hpp"

#include <algorithm>
#include <cstdio>
#include <exception>
#include <iterator>
#include <new>

#include <duoblas/error.hpp>

namespace duoblas {
namespace {

// A plain array: static destructors of the program may call after those of the thread's variables
// have run. A longer text is cut.
constinit thread_local char last_error[1024] = "";

}  // namespace

duoblas_status c_failure(duoblas_status status, const char* what) noexcept {
  std::snprintf(last_error, sizeof last_error, "%s", what);
  std::replace(std::begin(last_error), std::end(last_error), '\n', ' ');  // one line, as promised
  return status;
}

duoblas_status c_failure_of_current_exception() noexcept {
  try {
    throw;
  } catch (const ArgumentError& error) {
    return c_failure(DUOBLAS_INVALID_ARGUMENT, error.what());
  } catch (const SettingError& error) {
    return c_failure(DUOBLAS_INVALID_SETTING, error.what());
  } catch (const CpuBlasError& error) {
    return c_failure(DUOBLAS_NO_CPU_BLAS, error.what());
  } catch (const DeviceError& error) {
    return c_failure(DUOBLAS_DEVICE_ERROR, error.what());
  } catch (const std::bad_alloc&) {
    return c_failure(DUOBLAS_OUT_OF_MEMORY, "memory is short");
  } catch (const std::exception& error) {
    return c_failure(DUOBLAS_INTERNAL_ERROR, error.what());
  } catch (...) {
    return c_failure(DUOBLAS_INTERNAL_ERROR, "an unknown exception");
  }
}

}  // namespace duoblas

const char* duoblas_last_error(void) {
  return duoblas::last_error;
}
