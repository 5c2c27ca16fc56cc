// What the layer knows: the log, the call that is to fail, live objects and copied bytes.
#pragma once

#include <cstddef>
#include <string>

namespace duoblas::layer {

enum class Kind { none, context, queue, memory, program, kernel, event };
inline constexpr int kinds = 7;

/// Records one call, and says whether it is the one that is to fail. `polled` calls are as many as
/// time allows: they are not logged, and "*" does not count them (their own name does).
bool enter(const char* name, const std::string& facts, bool polled);

void count_object(Kind kind, int change);
void count_copied(std::size_t bytes);

}  // namespace duoblas::layer
