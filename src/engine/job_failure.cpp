#include "engine/job_failure.hpp"

#include <exception>
#include <new>

#include <duoblas/error.hpp>

#include "gpu/level3/triangle_leaves.hpp"
#include "opencl/wait_deadline.hpp"

namespace duoblas {

void JobFailure::remember() noexcept {
  try {
    throw;
  } catch (const cl::DeviceHung& hung) {
    note(hung.what());
    hung_ = true;
    may_write_c_ = hung.may_write_c;
  } catch (const UnsuitedNumbers& error) {
    note(error.what());
    is_for_numbers_ = true;
  } catch (const DeviceError& error) {
    note(error.what());
    error_code_ = error.code();
  } catch (const std::exception& error) {
    note(error.what());
  }
}

void JobFailure::note(const char* text) noexcept {
  try {
    text_ = text;
  } catch (const std::bad_alloc&) {
    text_ = "memory is short";  // short enough to need none
  }
}

}  // namespace duoblas
