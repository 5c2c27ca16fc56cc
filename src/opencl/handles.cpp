#include "opencl/handles.hpp"

#include "opencl/function_table.hpp"

namespace duoblas::cl {
namespace {

// The result of the release call is ignored: a destructor cannot report it, and the reference is
// gone in any case.
void release(Object kind, void* raw, const FunctionTable& table) {
  switch (kind) {
    case Object::context: table.clReleaseContext(static_cast<cl_context>(raw)); break;
    case Object::queue: table.clReleaseCommandQueue(static_cast<cl_command_queue>(raw)); break;
    case Object::buffer:
    case Object::image: table.clReleaseMemObject(static_cast<cl_mem>(raw)); break;
    case Object::program: table.clReleaseProgram(static_cast<cl_program>(raw)); break;
    case Object::kernel: table.clReleaseKernel(static_cast<cl_kernel>(raw)); break;
    case Object::event: table.clReleaseEvent(static_cast<cl_event>(raw)); break;
  }
}

}  // namespace

template <Object kind>
void Handle<kind>::reset() noexcept {
  if (raw_ == nullptr) return;
  if (driver_hangs()) {  // wait_deadline.hpp
    raw_ = nullptr;
    return;
  }
  if (const FunctionTable* table = find_functions()) release(kind, raw_, *table);
  raw_ = nullptr;
}

void Event::follow(Event earlier) {
  if (!earlier) return;
  for (auto& before : earlier.earlier_) earlier_.push_back(std::move(before));
  earlier.earlier_.clear();
  earlier_.push_back(std::move(earlier));
}

template class Handle<Object::context>;
template class Handle<Object::queue>;
template class Handle<Object::buffer>;
template class Handle<Object::image>;
template class Handle<Object::program>;
template class Handle<Object::kernel>;
template class Handle<Object::event>;

}  // namespace duoblas::cl
