// Move-only owners of OpenCL objects. A default-constructed handle is empty; the destructor
// releases. No wrapper converts implicitly, and only Queue::submit launches work.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "opencl/device.hpp"
#include "opencl/wait_deadline.hpp"

namespace duoblas::cl {

enum class Object { context, queue, buffer, image, program, kernel, event };

/// Owns one reference to an OpenCL object of one kind.
template <Object kind>
class Handle {
 public:
  Handle() = default;
  explicit Handle(void* adopted) : raw_(adopted) {}
  Handle(Handle&& other) noexcept : raw_(other.raw_) { other.raw_ = nullptr; }
  Handle& operator=(Handle&& other) noexcept {
    if (this != &other) {
      reset();
      raw_ = other.raw_;
      other.raw_ = nullptr;
    }
    return *this;
  }
  ~Handle() { reset(); }

  void* raw() const { return raw_; }
  /// Gives up the object: its reference belongs to the caller from now on.
  void* give_up() {
    void* const given = raw_;
    raw_ = nullptr;
    return given;
  }
  explicit operator bool() const { return raw_ != nullptr; }
  void reset() noexcept;  ///< releases; an error of the release call is not reported

 private:
  void* raw_ = nullptr;
};

/// A command's event. It may depend on earlier commands: if one of them fails, this one fails.
class Event : public Handle<Object::event> {
 public:
  using Handle::Handle;
  /// Makes the command depend on an earlier one of the same queue.
  void follow(Event earlier);
  const std::vector<Handle<Object::event>>& earlier() const { return earlier_; }

 private:
  std::vector<Handle<Object::event>> earlier_;
};

/// `chain` becomes `next`, which depends on what it was.
inline void extend(Event& chain, Event next) {
  next.follow(std::move(chain));
  chain = std::move(next);
}

enum class Access { read_only, write_only, read_write };

using Buffer = Handle<Object::buffer>;

/// A buffer seen through the texture path. The buffer lives as long as the image is in use.
using Image = Handle<Object::image>;

/// How the 16 bytes of a pixel are read: by read_imagef, or by read_imageui (for doubles).
enum class Pixel { float4, uint4 };

/// One device's context. \throws DeviceError like everything below.
class Context : public Handle<Object::context> {
 public:
  Context() = default;
  explicit Context(const Device& device);
  /// A program's own context; the reference is ours.
  Context(void* adopted, Device device) : Handle(adopted), device_(std::move(device)) {}
  const Device& device() const { return device_; }
  /// Shared with its queues and their waits. Never null.
  const std::shared_ptr<WaitDeadline>& wait_deadline() const { return wait_deadline_; }

  /// Device memory. A size of 0 is rounded up to 1.
  Buffer allocate(std::size_t bytes, Access access) const;
  /// The same, with a copy of the host's present data, without a queue.
  Buffer allocate_copy(const void* host, std::size_t bytes) const;
  /// Page-locked host memory if the driver has such (CL_MEM_ALLOC_HOST_PTR).
  Buffer allocate_host(std::size_t bytes, Access access) const;
  /// A read-only image of `pixels` pixels over the start of a buffer.
  Image image_over(const Buffer& buffer, std::size_t pixels, Pixel pixel) const;
  /// CL_MEM_USE_HOST_PTR over [host, host + bytes): zero-copy if the driver shares.
  Buffer wrap(void* host, std::size_t bytes, Access access) const;

 private:
  Device device_;
  std::shared_ptr<WaitDeadline> wait_deadline_ = std::make_shared<WaitDeadline>();
};

struct Range {
  std::array<std::size_t, 2> global{1, 1};
  std::array<std::size_t, 2> local{1, 1};  ///< global is a multiple of local
  std::size_t depth = 1;                   ///< layers of work-groups, along a third dimension
};

/// What PoCL compiles apart: work-groups, and grids that are wider than 16 bits.
struct LaunchForm {
  std::array<std::size_t, 2> local;
  bool is_wide = false;

  friend bool operator==(const LaunchForm&, const LaunchForm&) = default;
};

/// A kernel object is not thread-safe in OpenCL: one owner at a time.
class Kernel : public Handle<Object::kernel> {
 public:
  using Handle::Handle;
  void set_argument(unsigned index, const Buffer& buffer);
  void set_argument(unsigned index, const Image& image);
  template <typename T>
  void set_argument(unsigned index, const T& value) {
    set_bytes(index, &value, sizeof value);
  }
  /// The largest work-group with which the driver launches this kernel: smaller than the device's
  /// limit if the kernel takes many registers. The largest number if the driver does not tell.
  std::size_t largest_group(const Device& device) const;

  /// The driver links it at its first launch with a work-group, and may end the process there.
  void link_at_launch(const Device& device) { linked_at_launch_.emplace().device = device; }
  /// \throws DriverLeftOut if it would (driver_needs.hpp).
  void require_link(const Range& range) const;

 private:
  struct Links {
    Device device;
    std::vector<LaunchForm> known;
  };
  mutable std::optional<Links> linked_at_launch_;
  void set_bytes(unsigned index, const void* value, std::size_t bytes);
};

class Program : public Handle<Object::program> {
 public:
  using Handle::Handle;
  Kernel kernel(const char* name) const;
  /// The device's binary of a built program (what the cache stores).
  std::vector<unsigned char> binary() const;
  void link_at_launch(const Device& device) { linked_at_launch_ = device; }  ///< its kernels

 private:
  std::optional<Device> linked_at_launch_;
};

/// Compiles for the context's device. \throws DeviceError with the driver's build log.
Program build_from_source(const Context& context, std::string_view source,
                          const std::string& options);
/// Loads a result of Program::binary. \throws DeviceError if the driver refuses it.
Program build_from_binary(const Context& context, const std::vector<unsigned char>& binary,
                          const std::string& options);

/// A rectangle of rows, for copies between strided host memory and a dense or strided buffer.
struct RectCopy {
  std::size_t rows = 0;
  std::size_t row_bytes = 0;
  std::size_t host_pitch = 0;    ///< bytes between the rows on the host
  std::size_t device_pitch = 0;  ///< bytes between the rows in the buffer
  std::size_t device_offset = 0;
};

/// The same within the device.
struct DeviceRectCopy {
  std::size_t rows = 0;
  std::size_t row_bytes = 0;
  std::size_t from_offset = 0, from_pitch = 0;  ///< bytes
  std::size_t to_offset = 0, to_pitch = 0;
};

class OwnRows;

/// An in-order queue. `submit` is the only way to launch a kernel, and it always flushes.
/// No call takes or makes a callback. Thread-safe, as OpenCL's queues are.
class Queue : public Handle<Object::queue> {
 public:
  Queue() = default;
  explicit Queue(const Context& context, bool profiling = false);
  explicit Queue(void* adopted) : Handle(adopted) {}

  /// Enqueues the kernel and flushes, so that the device starts now. The event completes with it.
  Event submit(const Kernel& kernel, const Range& range);
  /// Enqueues without a flush: for the earlier kernels of a chain whose last one is submitted. No
  /// other command shows its failure, so whoever waits for the last one calls check_ended() for it
  /// too. The same holds of every event below.
  [[nodiscard]] Event enqueue(const Kernel& kernel, const Range& range);
  /// The same if nobody needs to know when the kernel ends: no event is made.
  void enqueue_unasked(const Kernel& kernel, const Range& range);

  /// Host to device. If not blocking, the host memory must live until the queue is finished.
  void write(const Buffer& to, const void* from, const RectCopy& copy, bool blocking);
  /// Device to host, blocking.
  void read(const Buffer& from, void* to, const RectCopy& copy);
  /// Host to device, `bytes` to `offset`, without waiting or flushing. The host memory must not
  /// change before the event.
  [[nodiscard]] Event write_later(const Buffer& to, const void* from, std::size_t bytes,
                                  std::size_t offset);
  /// The same for rows, as one command; it waits where the driver takes no copy of that memory.
  [[nodiscard]] Event write_later(const Buffer& to, const void* from, const RectCopy& copy);
  [[nodiscard]] Event read_later(const Buffer& from, void* to, const RectCopy& copy);
  /// Device to host, `bytes` from `offset`, without waiting or flushing.
  [[nodiscard]] Event read_later(const Buffer& from, void* to, std::size_t bytes,
                                 std::size_t offset);
  /// Later commands start after `event`, whose queue was flushed.
  void start_after(const Event& event);
  /// Completes when everything before it has; not flushed.
  Event mark();
  /// `bytes` zeros; not flushed.
  [[nodiscard]] Event fill_with_zeros(const Buffer& buffer, std::size_t bytes);
  /// Device to device, from the start of one buffer to the start of the other; not flushed.
  [[nodiscard]] Event copy(const Buffer& from, const Buffer& to, std::size_t bytes);
  /// The same for rows, as one command.
  [[nodiscard]] Event copy(const Buffer& from, const Buffer& to, const DeviceRectCopy& copy);
  void* map(const Buffer& buffer, Access access, std::size_t bytes);  ///< blocking
  void unmap(const Buffer& buffer, void* mapped);
  /// Maps `bytes` from `offset` for reading and unmaps them, without waiting or flushing. After the
  /// event the host's memory holds the device's results.
  Event show_to_host(const Buffer& buffer, std::size_t offset, std::size_t bytes);
  void flush();
  void finish();

  /// Waits for the event by polling its status, first without pause, which is cheaper than
  /// clWaitForEvents if the work is short. Other waits of this class never block in the driver
  /// before the work has ended, so each can be given up. False: the command had ended before the
  /// call, nobody knows when. \throws DeviceError if the command failed, or one that it depends on;
  /// DeviceHung after the context's deadline.
  bool wait(const Event& event);
  /// Checks a command that has ended, since a later one has. \throws DeviceError if it failed, or
  /// one that it depends on.
  void check_ended(const Event& event);
  /// Whether the command has ended, well or badly. Waits for nothing. \throws DeviceError.
  bool has_ended(const Event& event);

 private:
  void await_all();
  void end(const Event& event);
  Event end(std::optional<Event> copied, OwnRows& rows);

  std::shared_ptr<WaitDeadline>
      /// Null for a program's own queue, which is waited for only while it is opened.
      wait_deadline_;
};

/// Device seconds of a finished command, from its start to its end; nothing if the queue does not
/// profile or the driver has no timestamps.
std::optional<double> seconds_if_profiled(const Event& event) noexcept;

/// Seconds from the enqueueing to the end of a finished command, by the device's timestamps;
/// nothing if the queue does not profile or the driver has none.
std::optional<double> seconds_since_enqueue(const Event& event) noexcept;

/// Device seconds from the end of one finished command of a profiling queue to the end of a later.
double seconds_between_ends(const Event& earlier, const Event& later);

}  // namespace duoblas::cl
