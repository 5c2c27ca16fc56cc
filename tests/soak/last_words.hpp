// What a process says that a driver, or a mistake of ours, brings down: which call it was at.
#pragma once

#include <string>

namespace duoblas::soak {

/// From now on signals that end the process print the words first; SIGALRM, too, and ends it with
/// exit code 3.
void catch_last_words();

/// The words, until others are given. A new deadline begins.
void remember_words(const std::string& words, int deadline_seconds);

/// There is no deadline any more.
void forget_deadline();

}  // namespace duoblas::soak
