// What a test does to a whole process, in one of its own.
#pragma once

#include <sys/wait.h>
#include <unistd.h>

namespace duoblas::test {

/// Whether `what` returned true in a forked child, and threw nothing.
template <typename Body>
bool in_child(const Body& what) {
  const pid_t child = ::fork();
  if (child == 0) {
    try {
      ::_exit(what() ? 0 : 1);
    } catch (...) {
      ::_exit(1);  // the test is the parent's
    }
  }
  int status = -1;
  return child > 0 && ::waitpid(child, &status, 0) == child && status == 0;
}

}  // namespace duoblas::test
