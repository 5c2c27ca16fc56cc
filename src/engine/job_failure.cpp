#include "engine/job_failure.hpp"

#include <exception>
#include <new>

#include <duoblas/error.hpp>

#include "opencl/patience.hpp"

namespace duoblas {

void JobFailure::remember() noexcept {
  try {
    throw;
  } catch (const cl::DeviceHung& error) {
    note(error.what());
    hung = true;
    may_write = error.may_write_c;
  } catch (const DeviceError& error) {
    note(error.what());
    code = error.code();
  } catch (const std::exception& error) {
    note(error.what());
  }
}

void JobFailure::note(const char* what) noexcept {
  try {
    text = what;
  } catch (const std::bad_alloc&) {
    text = "memory is short";  // short enough to need none
  }
}

}  // namespace duoblas
