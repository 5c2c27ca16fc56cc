// What the layer knows: the log, the call that is to fail, live objects and copied bytes.
#pragma once

#include <cstddef>
#include <string>

namespace duoblas::layer {

enum class Kind { none, context, queue, memory, program, kernel, event };
inline constexpr int kinds = 7;

/// Records one call, and says with which error it is to fail; 0: it is not. `polled` calls are as
/// many as time allows: they are not logged, and "*" does not count them (their own name does).
int enter(const char* name, const std::string& facts, bool polled);

void count_object(Kind kind, int change);
void count_copied(std::size_t bytes);

/// A buffer that was created, by its handle, and its end. Memory of the device (not the host's own,
/// which a driver shares), and page-locked memory of the driver.
enum class Place { device, page_locked };
void note_buffer(const void* handle, Place place, std::size_t bytes);
void forget_buffer(const void* handle);

}  // namespace duoblas::layer
