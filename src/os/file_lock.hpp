// Locks of open files, between processes. They end with the process, however that ends.
#pragma once

#include <chrono>

namespace duoblas {

enum class LockAttempt {
  taken,
  held_by_another,
  impossible,  ///< the file is not open, or its file system has no locks
};
/// Takes the file for this process alone, without waiting. A child of fork() has it, too.
LockAttempt try_lock(int descriptor) noexcept;
/// Waits for it, but not for long: who was stopped while he has it must not stop others.
LockAttempt wait_for_lock(int descriptor, std::chrono::milliseconds most_wait) noexcept;
/// Also for the children that have it too.
void unlock(int descriptor) noexcept;

/// Counts as one user of the file until it is closed. Two open files of one process are two users.
bool join_file_users(int descriptor) noexcept;
/// Whether anybody else has joined.
bool has_other_users(int descriptor) noexcept;

}  // namespace duoblas
