// The C functions that have no element type.
#include <cstring>
#include <optional>
#include <type_traits>
#include <variant>

#include <duoblas/duoblas.h>
#include <duoblas/opencl.h>
#include <duoblas/context.hpp>
#include <duoblas/registration.hpp>

#include "api/c_arguments.hpp"
#include "api/c_status.hpp"
#include "memory/host_memory.hpp"

namespace {

using duoblas::guarded;

#define DUOBLAS_TEXT_OF(x) #x
#define DUOBLAS_VERSION_TEXT(major, minor, patch) \
  DUOBLAS_TEXT_OF(major) "." DUOBLAS_TEXT_OF(minor) "." DUOBLAS_TEXT_OF(patch)

// C may pass any number. C++ must not read one that is too large for the enumerators as the
// enumeration: that is undefined.
template <typename Enumeration>
auto number_of(const Enumeration& value) {
  std::underlying_type_t<Enumeration> number{};
  std::memcpy(&number, &value, sizeof number);
  return number;
}

}  // namespace

extern "C" {

void* duoblas_malloc(size_t bytes) {
  return duoblas::allocate_host(bytes);
}

void duoblas_free(void* memory) {
  const duoblas::CancellationDisabled whole_call;
  duoblas::free_host(memory);
}

duoblas_status duoblas_register(const void* memory, size_t bytes) {
  return guarded([&] { duoblas::register_memory(memory, bytes); });
}

duoblas_status duoblas_unregister(const void* memory) {
  return guarded([&] { duoblas::unregister_memory(memory); });
}

duoblas_status duoblas_set_split(int gpu_parts, int parts) {
  return guarded([&] {
    duoblas::Context::process_default().set_split(duoblas::Share{gpu_parts, parts});
  });
}

duoblas_status duoblas_clear_split(void) {
  return guarded([&] { duoblas::Context::process_default().set_split(std::nullopt); });
}

duoblas_status duoblas_set_math(duoblas_math mode) {
  return guarded([&] {
    const auto number = number_of(mode);
    if (number != DUOBLAS_MATH_EXACT && number != DUOBLAS_MATH_TF32X3)
      throw duoblas::ArgumentError(1, "mode", "must be DUOBLAS_MATH_EXACT or DUOBLAS_MATH_TF32X3");
    duoblas::Context::process_default().set_math(
        number == DUOBLAS_MATH_EXACT ? duoblas::MathMode::exact : duoblas::MathMode::tf32x3);
  });
}

duoblas_status duoblas_set_check(duoblas_check mode) {
  return guarded([&] {
    const auto number = number_of(mode);
    if (number > DUOBLAS_CHECK_ALWAYS)
      throw duoblas::ArgumentError(
          1, "mode", "must be DUOBLAS_CHECK_OFF, DUOBLAS_CHECK_SAMPLED or DUOBLAS_CHECK_ALWAYS");
    duoblas::Context::process_default().set_check(static_cast<duoblas::CheckMode>(number));
  });
}

duoblas_status duoblas_job_wait(duoblas_job* job) {
  return guarded([&] {
    if (job != nullptr) job->object.wait();
  });
}

int duoblas_job_done(const duoblas_job* job) {
  return job == nullptr || job->object.done() ? 1 : 0;
}

void duoblas_job_free(duoblas_job* job) {
  const duoblas::CancellationDisabled whole_call;
  delete job;
}

int duoblas_prepared_on_device(const duoblas_prepared* prepared) {
  if (prepared == nullptr) return 0;
  return std::visit([](const auto& matrix) { return matrix.on_device(); }, prepared->object) ? 1
                                                                                             : 0;
}

void duoblas_prepared_free(duoblas_prepared* prepared) {
  const duoblas::CancellationDisabled whole_call;
  delete prepared;
}

duoblas_status duoblas_device_blas_create(struct _cl_command_queue* queue,
                                          duoblas_device_blas** made) {
  return guarded([&] {
    if (made == nullptr) throw duoblas::ArgumentError(2, "made", "is a null pointer");
    *made = nullptr;
    *made = new duoblas_device_blas{duoblas::DeviceBlas(queue)};
  });
}

void duoblas_device_blas_free(duoblas_device_blas* blas) {
  const duoblas::CancellationDisabled whole_call;
  delete blas;
}

duoblas_status duoblas_device_blas_set_workspace(duoblas_device_blas* blas, struct _cl_mem* buffer,
                                                 int64_t offset, int64_t bytes) {
  return guarded([&] { duoblas::from_c(blas).set_workspace({buffer, offset, bytes}); });
}

const char* duoblas_version(void) {
  return DUOBLAS_VERSION_TEXT(DUOBLAS_VERSION_MAJOR, DUOBLAS_VERSION_MINOR, DUOBLAS_VERSION_PATCH);
}

}  // extern "C"
