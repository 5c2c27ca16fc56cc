#include "cl_layer/memory_model.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <map>
#include <mutex>
#include <sstream>
#include <string>

namespace duoblas::layer {
namespace {

struct Copy {
  char* host;
  std::map<const void*, cl_map_flags> mapped;  // where, and how
};

struct Window {
  std::uintptr_t begin, end;
};

struct Part {
  cl_mem whole;
  cl_buffer_region region;
};

struct Model {
  std::mutex mutex;
  std::string name;
  std::map<cl_mem, Copy> copies;
  std::map<cl_mem, Window> windows;  // those over the host's memory
  std::map<cl_mem, Part> parts;      // those that were made
  std::map<cl_mem, int> references;  // that are retained, beside the first one, to buffers
  int orphans = 0, overlaps = 0;
  cl_icd_dispatch driver{};
};

// Never destroyed, as the layer's state.
Model& model() {
  static Model* const once = new Model;
  return *once;
}

// Whether a page of it is a file's, or another process may see it.
bool is_foreign(std::uintptr_t begin, std::uintptr_t end) {
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    std::istringstream fields(line);
    std::uintptr_t from = 0, to = 0;
    char dash = 0;
    std::string permissions, offset, device;
    unsigned long inode = 0;
    fields >> std::hex >> from >> dash >> to >> permissions >> offset >> device >> std::dec >>
        inode;
    if (from < end && begin < to && (permissions.at(3) == 's' || inode != 0)) return true;
  }
  return false;
}

enum class Treatment { shared, copied, refused };

Treatment treatment_of(const std::string& name, const void* host, size_t bytes) {
  if (name.empty() && plays_discrete_gpu()) return Treatment::copied;
  const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  const auto begin = reinterpret_cast<std::uintptr_t>(host);
  if (name == "shadow") return Treatment::copied;
  if (name == "pages" && (begin % page != 0 || bytes % page != 0)) return Treatment::copied;
  if ((name == "anonymous" || name == "incoherent") && is_foreign(begin, begin + bytes))
    return Treatment::copied;
  if (name == "refusing" && is_foreign(begin, begin + bytes)) return Treatment::refused;
  return Treatment::shared;
}

cl_mem CL_API_CALL create_buffer(cl_context context, cl_mem_flags flags, size_t bytes, void* host,
                                 cl_int* code) {
  Model& now = model();
  const std::lock_guard guard(now.mutex);
  const bool uses_host = (flags & CL_MEM_USE_HOST_PTR) != 0;
  const Treatment treatment = uses_host ? treatment_of(now.name, host, bytes) : Treatment::shared;
  if (treatment == Treatment::refused) {
    if (code != nullptr) *code = CL_INVALID_HOST_PTR;
    return nullptr;
  }
  if (treatment == Treatment::copied)
    flags = (flags & ~cl_mem_flags{CL_MEM_USE_HOST_PTR}) | CL_MEM_COPY_HOST_PTR;
  const cl_mem made = now.driver.clCreateBuffer(context, flags, bytes, host, code);
  if (made == nullptr || host == nullptr) return made;
  if (treatment == Treatment::copied) now.copies[made] = {static_cast<char*>(host), {}};
  const auto begin = reinterpret_cast<std::uintptr_t>(host);
  if (uses_host) now.windows[made] = {begin, begin + bytes};
  return made;
}

void* CL_API_CALL map_buffer(cl_command_queue queue, cl_mem buffer, cl_bool blocking,
                             cl_map_flags flags, size_t offset, size_t bytes, cl_uint waits,
                             const cl_event* wait_list, cl_event* event, cl_int* code) {
  Model& now = model();
  const std::lock_guard guard(now.mutex);
  const auto copy = now.copies.find(buffer);
  if (copy == now.copies.end())
    return now.driver.clEnqueueMapBuffer(queue, buffer, blocking, flags, offset, bytes, waits,
                                         wait_list, event, code);
  char* const at = copy->second.host + offset;
  const cl_int result = now.driver.clEnqueueReadBuffer(queue, buffer, blocking, offset, bytes, at,
                                                       waits, wait_list, event);
  if (code != nullptr) *code = result;
  if (result != CL_SUCCESS) return nullptr;
  copy->second.mapped[at] = flags;
  return at;
}

cl_int CL_API_CALL unmap(cl_command_queue queue, cl_mem buffer, void* mapped, cl_uint waits,
                         const cl_event* wait_list, cl_event* event) {
  Model& now = model();
  const std::lock_guard guard(now.mutex);
  const auto copy = now.copies.find(buffer);
  if (copy == now.copies.end())
    return now.driver.clEnqueueUnmapMemObject(queue, buffer, mapped, waits, wait_list, event);
  // The project maps such memory for reading only: there is nothing to bring to the device.
  const auto mapping = copy->second.mapped.find(mapped);
  if (mapping == copy->second.mapped.end() || mapping->second != CL_MAP_READ)
    return CL_INVALID_VALUE;
  copy->second.mapped.erase(mapping);
  return now.driver.clEnqueueMarkerWithWaitList(queue, waits, wait_list, event);
}

cl_mem CL_API_CALL create_part(cl_mem whole, cl_mem_flags flags, cl_buffer_create_type type,
                               const void* region, cl_int* code) {
  Model& now = model();
  const std::lock_guard guard(now.mutex);
  const cl_mem made = now.driver.clCreateSubBuffer(whole, flags, type, region, code);
  if (made == nullptr) return made;
  const auto& bytes = *static_cast<const cl_buffer_region*>(region);
  for (const auto& [other, part] : now.parts)
    now.overlaps += part.whole == whole && part.region.origin < bytes.origin + bytes.size &&
                    bytes.origin < part.region.origin + part.region.size;
  now.parts[made] = {whole, bytes};
  return made;
}

cl_int CL_API_CALL retain(cl_mem memory) {
  Model& now = model();
  const std::lock_guard guard(now.mutex);
  ++now.references[memory];
  return now.driver.clRetainMemObject(memory);
}

// OpenCL keeps a whole while there are parts of it; here parts without the program's reference to
// their whole are counted.
cl_int CL_API_CALL release(cl_mem memory) {
  Model& now = model();
  {
    const std::lock_guard guard(now.mutex);
    if (now.references[memory]-- == 0) {
      now.references.erase(memory);
      now.copies.erase(memory);
      now.windows.erase(memory);
      now.parts.erase(memory);
      for (const auto& [raw, part] : now.parts) now.orphans += part.whole == memory;
    }
  }
  return now.driver.clReleaseMemObject(memory);
}

bool plays_locking(const Model& now) {
  return now.name == "locking" || (now.name.empty() && plays_discrete_gpu());
}

// As NVIDIA's driver (580): rows that begin under a buffer over the host's memory end there, too;
// and the last row that is copied is there as a whole, in rows that are counted from the buffer's
// start.
bool is_refused(const void* host, const size_t* region, size_t host_pitch, cl_mem buffer,
                const size_t* origin, size_t pitch) {
  Model& now = model();
  const std::lock_guard guard(now.mutex);
  if (!plays_locking(now)) return false;
  std::size_t size = 0;
  if (now.driver.clGetMemObjectInfo(buffer, CL_MEM_SIZE, sizeof size, &size, nullptr) ==
          CL_SUCCESS &&
      (origin[1] + region[1]) * pitch > size)
    return true;
  const auto begin = reinterpret_cast<std::uintptr_t>(host);
  const auto end = begin + (region[1] - 1) * host_pitch + region[0];
  return std::ranges::any_of(now.windows, [&](const auto& of) {
    const Window& window = of.second;
    return window.begin <= begin && begin < window.end && window.end < end;
  });
}

// As NVIDIA's driver (580) takes a distance between rows of the host's memory.
size_t counted(size_t host_pitch) {
  Model& now = model();
  const std::lock_guard guard(now.mutex);
  return plays_locking(now) ? static_cast<std::uint32_t>(host_pitch) : host_pitch;
}

cl_int CL_API_CALL write_rect(cl_command_queue queue, cl_mem buffer, cl_bool blocking,
                              const size_t* buffer_origin, const size_t* host_origin,
                              const size_t* region, size_t pitch, size_t slice, size_t host_pitch,
                              size_t host_slice, const void* host, cl_uint waits,
                              const cl_event* wait_list, cl_event* event) {
  if (is_refused(host, region, host_pitch, buffer, buffer_origin, pitch)) return CL_INVALID_VALUE;
  return model().driver.clEnqueueWriteBufferRect(
      queue, buffer, blocking, buffer_origin, host_origin, region, pitch, slice,
      counted(host_pitch), host_slice, host, waits, wait_list, event);
}

cl_int CL_API_CALL read_rect(cl_command_queue queue, cl_mem buffer, cl_bool blocking,
                             const size_t* buffer_origin, const size_t* host_origin,
                             const size_t* region, size_t pitch, size_t slice, size_t host_pitch,
                             size_t host_slice, void* host, cl_uint waits,
                             const cl_event* wait_list, cl_event* event) {
  if (is_refused(host, region, host_pitch, buffer, buffer_origin, pitch)) return CL_INVALID_VALUE;
  return model().driver.clEnqueueReadBufferRect(queue, buffer, blocking, buffer_origin, host_origin,
                                                region, pitch, slice, counted(host_pitch),
                                                host_slice, host, waits, wait_list, event);
}

}  // namespace

void set_memory_model(const char* name) {
  const std::lock_guard guard(model().mutex);
  model().name = name == nullptr ? "" : name;
}

bool is_incoherent() {
  const std::lock_guard guard(model().mutex);
  return model().name == "incoherent";
}

bool plays_discrete_gpu() {
  static const bool told = std::getenv("DUOBLAS_LAYER_GPU") != nullptr;
  return told;
}

void put_memory_model(cl_icd_dispatch& driver) {
  model().driver = driver;
  driver.clCreateBuffer = create_buffer;
  driver.clEnqueueMapBuffer = map_buffer;
  driver.clEnqueueUnmapMemObject = unmap;
  driver.clEnqueueWriteBufferRect = write_rect;
  driver.clEnqueueReadBufferRect = read_rect;
  driver.clCreateSubBuffer = create_part;
  driver.clRetainMemObject = retain;
  driver.clReleaseMemObject = release;
}

}  // namespace duoblas::layer

extern "C" __attribute__((visibility("default"))) void duoblas_layer_memory_model(
    const char* name) {
  duoblas::layer::set_memory_model(name);
}

extern "C" __attribute__((visibility("default"))) int duoblas_layer_orphans() {
  const std::lock_guard guard(duoblas::layer::model().mutex);
  return duoblas::layer::model().orphans;
}

extern "C" __attribute__((visibility("default"))) int duoblas_layer_overlapping_parts() {
  const std::lock_guard guard(duoblas::layer::model().mutex);
  return duoblas::layer::model().overlaps;
}
