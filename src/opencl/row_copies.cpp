#include "opencl/row_copies.hpp"

#include <algorithm>
#include <cstring>

#include "opencl/device_error.hpp"
#include "opencl/function_table.hpp"

namespace duoblas::cl {
namespace {

// One run of bytes: the plain copy commands are faster than the rectangle ones on some drivers.
bool is_contiguous(const RectCopy& copy) {
  return copy.rows == 1 ||
         (copy.host_pitch == copy.row_bytes && copy.device_pitch == copy.row_bytes);
}

// NVIDIA's driver (580) takes the distance between rows on the host modulo 2^32, without a word: it
// reads other rows, and writes to other places. 2^31 - 1 is the most that CUDA promises.
constexpr std::size_t most_pitch = 0x7fffffff;

struct Rect {
  std::size_t buffer_origin[3];
  std::size_t host_origin[3];
  std::size_t region[3];

  // The offset is split so that no driver has to accept an x origin beyond the row pitch.
  explicit Rect(const RectCopy& copy)
      : buffer_origin{copy.device_offset % copy.device_pitch,
                      copy.device_offset / copy.device_pitch, 0},
        host_origin{0, 0, 0},
        region{copy.row_bytes, copy.rows, 1} {}
};

// A command of the driver, and its name.
template <class Function>
struct Command {
  const char* name;
  Function enqueue;
};
template <class Function>
Command(const char*, Function) -> Command<Function>;  // Clang 14 has none of its own for aggregates

// `plain` copies one run of bytes, `of_rows` a rectangle; `host` is the caller's memory.
template <class Plain, class OfRows, class Host>
std::optional<Event> enqueued(const Command<Plain>& plain, const Command<OfRows>& of_rows,
                              const Queue& queue, const Buffer& buffer, Host* host,
                              const RectCopy& copy) {
  const bool is_plain = is_contiguous(copy);
  if (!is_plain && std::max(copy.host_pitch, copy.device_pitch) > most_pitch) return std::nullopt;
  cl_event event = nullptr;
  cl_int code = CL_SUCCESS;
  if (is_plain) {
    code = plain.enqueue(queue_of(queue), mem_of(buffer), CL_FALSE, copy.device_offset,
                         copy.rows * copy.row_bytes, host, 0, nullptr, &event);
  } else {
    const Rect rect(copy);
    code = of_rows.enqueue(queue_of(queue), mem_of(buffer), CL_FALSE, rect.buffer_origin,
                           rect.host_origin, rect.region, copy.device_pitch, 0, copy.host_pitch, 0,
                           host, 0, nullptr, &event);
  }
  if (code == CL_INVALID_VALUE) return std::nullopt;
  check(is_plain ? plain.name : of_rows.name, code);
  return Event(event);
}

}  // namespace

std::optional<Event> written_rows(const Queue& queue, const Buffer& to, const void* from,
                                  const RectCopy& copy) {
  return enqueued(Command{"clEnqueueWriteBuffer", functions().clEnqueueWriteBuffer},
                  Command{"clEnqueueWriteBufferRect", functions().clEnqueueWriteBufferRect}, queue,
                  to, from, copy);
}

std::optional<Event> read_rows(const Queue& queue, const Buffer& from, void* to,
                               const RectCopy& copy) {
  return enqueued(Command{"clEnqueueReadBuffer", functions().clEnqueueReadBuffer},
                  Command{"clEnqueueReadBufferRect", functions().clEnqueueReadBufferRect}, queue,
                  from, to, copy);
}

OwnRows::OwnRows(const RectCopy& copy)
    : host_pitch_(copy.host_pitch),
      dense_(copy),
      rows_(std::make_unique_for_overwrite<char[]>(copy.rows * copy.row_bytes)) {
  dense_.host_pitch = copy.row_bytes;
}

void OwnRows::take(const void* from) {
  for (std::size_t row = 0; row < dense_.rows; ++row)
    std::memcpy(data() + row * dense_.row_bytes, static_cast<const char*>(from) + row * host_pitch_,
                dense_.row_bytes);
}

void OwnRows::give(void* to) const {
  for (std::size_t row = 0; row < dense_.rows; ++row)
    std::memcpy(static_cast<char*>(to) + row * host_pitch_, rows_.get() + row * dense_.row_bytes,
                dense_.row_bytes);
}

}  // namespace duoblas::cl
