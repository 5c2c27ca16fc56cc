// Starts the device in the background, so that no call of a preloaded program waits for it.
#pragma once

#include "engine/engine.hpp"

namespace duoblas {

/// Whether the engine's device is open. The first call starts a thread that opens it and then calls
/// `opened`. fork() and exit() wait for that thread. If the main thread has not multiplied yet,
/// exit() could not wait, so this call waits until the device is open. \pre fork_generation() == 0.
bool opened_in_background(Engine& engine, void (*opened)(Engine&)) noexcept;

/// The same, but this call opens it, or waits for whoever does.
void open_at_once(Engine& engine, void (*opened)(Engine&)) noexcept;

}  // namespace duoblas
