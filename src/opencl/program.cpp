// Programs: built from source or from a binary, and their kernels.
#include <algorithm>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "opencl/build_under_way.hpp"
#include "opencl/device_error.hpp"
#include "opencl/driver_needs.hpp"
#include "opencl/driver_quirks.hpp"
#include "opencl/function_table.hpp"
#include "opencl/handles.hpp"
#include "os/process.hpp"
#include "os/restored_signals.hpp"

namespace duoblas::cl {
namespace {

std::string build_log(cl_program program, cl_device_id device) {
  std::size_t bytes = 0;
  const auto& cl = functions();
  if (cl.clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, 0, nullptr, &bytes) !=
      CL_SUCCESS) {
    return {};
  }
  std::string log(bytes, '\0');
  if (bytes == 0 || cl.clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, bytes,
                                             log.data(), nullptr) != CL_SUCCESS) {
    return {};
  }
  return log.substr(0, log.find('\0'));
}

// Its driver links each kernel at its first launch.
bool links_later(const Context& context) {
  return quirks_of(context.device().info).links_by_program;
}

void build(const Program& program, const Context& context, const std::string& options) {
  auto* raw = static_cast<cl_program>(program.raw());
  auto* device = static_cast<cl_device_id>(context.device().id);
  // PoCL prints the number of warnings on the program's standard error, where nothing of ours
  // belongs.
  const std::string silent = options + " -w";
  int code = CL_SUCCESS;
  require_what_builds_need(context.device());
  {
    const BuildUnderWay exit_waits;
    const RestoredSignals as_the_program_has_them;
    const FileSizeSignalBlocked for_driver;
    code = functions().clBuildProgram(raw, 1, &device, silent.c_str(), nullptr, nullptr);
  }
  if (code != CL_SUCCESS) {
    throw_failed("clBuildProgram", code,
                 "options: " + options + "\nbuild log:\n" + build_log(raw, device));
  }
}

// After setuid PoCL was seen to link a kernel anew that it had launched before.
bool is_another_user() noexcept {
  static const unsigned first = effective_user();
  return effective_user() != first;
}

}  // namespace

void Kernel::set_argument(unsigned index, const Buffer& buffer) {
  void* raw = buffer.raw();
  set_bytes(index, &raw, sizeof raw);
}

void Kernel::set_argument(unsigned index, const Image& image) {
  void* raw = image.raw();
  set_bytes(index, &raw, sizeof raw);
}

void Kernel::set_bytes(unsigned index, const void* value, std::size_t bytes) {
  const int code = functions().clSetKernelArg(static_cast<cl_kernel>(raw()), index, bytes, value);
  if (code != CL_SUCCESS) {
    throw_failed("clSetKernelArg", code, "argument " + std::to_string(index));
  }
}

std::size_t Kernel::largest_group(const Device& device) const {
  std::size_t items = 0;
  const int code = functions().clGetKernelWorkGroupInfo(
      static_cast<cl_kernel>(raw()), static_cast<cl_device_id>(device.id),
      CL_KERNEL_WORK_GROUP_SIZE, sizeof items, &items, nullptr);
  return code == CL_SUCCESS && items > 0 ? items : std::numeric_limits<std::size_t>::max();
}

void Kernel::require_link(const Range& range) const {
  if (!linked_at_launch_) return;
  if (is_another_user()) return require_what_builds_need(linked_at_launch_->device);
  constexpr std::size_t wide = (1u << 16) - 1;
  const LaunchForm form{range.local, std::ranges::max(range.global) >= wide || range.depth >= wide};
  std::vector<LaunchForm>& known = linked_at_launch_->known;
  if (std::ranges::find(known, form) != known.end()) return;
  require_what_builds_need(linked_at_launch_->device);
  known.push_back(form);
}

Kernel Program::kernel(const char* name) const {
  cl_int code = CL_SUCCESS;
  cl_kernel kernel = functions().clCreateKernel(static_cast<cl_program>(raw()), name, &code);
  if (code != CL_SUCCESS) throw_failed("clCreateKernel", code, std::string("kernel ") + name);
  Kernel owner(kernel);
  if (linked_at_launch_) owner.link_at_launch(*linked_at_launch_);
  return owner;
}

std::vector<unsigned char> Program::binary() const {
  const RestoredSignals as_the_program_has_them;
  const FileSizeSignalBlocked for_driver;  // PoCL compiles once more
  auto* program = static_cast<cl_program>(raw());
  std::size_t bytes = 0;
  check("clGetProgramInfo", functions().clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES,
                                                         sizeof bytes, &bytes, nullptr));
  std::vector<unsigned char> binary(bytes);
  unsigned char* where = binary.data();
  check("clGetProgramInfo",
        functions().clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof where, &where, nullptr));
  return binary;
}

Program build_from_source(const Context& context, std::string_view source,
                          const std::string& options) {
  const char* text = source.data();
  const std::size_t length = source.size();
  cl_int code = CL_SUCCESS;
  Program program(functions().clCreateProgramWithSource(static_cast<cl_context>(context.raw()), 1,
                                                        &text, &length, &code));
  check("clCreateProgramWithSource", code);
  build(program, context, options);
  if (links_later(context)) program.link_at_launch(context.device());
  return program;
}

Program build_from_binary(const Context& context, const std::vector<unsigned char>& binary,
                          const std::string& options) {
  const FileSizeSignalBlocked for_driver;
  auto* device = static_cast<cl_device_id>(context.device().id);
  const unsigned char* data = binary.data();
  const std::size_t length = binary.size();
  cl_int status = CL_SUCCESS;
  cl_int code = CL_SUCCESS;
  Program program(functions().clCreateProgramWithBinary(static_cast<cl_context>(context.raw()), 1,
                                                        &device, &length, &data, &status, &code));
  check("clCreateProgramWithBinary", code);
  check("clCreateProgramWithBinary", status);
  build(program, context, options);
  if (links_later(context)) program.link_at_launch(context.device());
  return program;
}

}  // namespace duoblas::cl
