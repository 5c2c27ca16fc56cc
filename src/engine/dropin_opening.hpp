// The device's start in the background, so that no call of a preloaded program waits for it.
#pragma once

#include "engine/engine.hpp"

namespace duoblas {

/// Whether the engine's device was opened. The first call starts that in a thread of its own, which
/// then calls `opened`; a fork waits for it, and so does exit(). Where the main thread has not
/// multiplied yet exit() cannot: then that call itself opens the device. \pre fork_generation() ==
/// 0.
bool opened_in_background(Engine& engine, void (*opened)(Engine&)) noexcept;

}  // namespace duoblas
