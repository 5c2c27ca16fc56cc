#include "os/child_fate.hpp"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <thread>

namespace duoblas {

std::string why_children_are_lost() {
  struct sigaction action {};
  ::sigaction(SIGCHLD, nullptr, &action);
  if ((action.sa_flags & SA_SIGINFO) == 0 && action.sa_handler == SIG_IGN)
    return "the program ignores SIGCHLD";
  if ((action.sa_flags & SA_NOCLDWAIT) != 0) return "the program wants no child's status";
  return {};
}

// Who waits for any child, in a thread or in SIGCHLD's handler, takes an ended one at once; who
// does so later does not come before a library that waits meanwhile.
std::string fate_of_a_child() {
  constexpr int most_polls = 30;
  const pid_t child = ::vfork();
  if (child == 0) ::_exit(0);
  if (child < 0) return "no process can be started";
  siginfo_t ended{};
  int code = 0;
  for (int poll = 0; poll < most_polls && code == 0; ++poll) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    code = ::waitid(P_PID, static_cast<id_t>(child), &ended, WEXITED | WNOHANG | WNOWAIT);
  }
  while (code == 0 && (code = ::waitpid(child, nullptr, 0)) < 0 && errno == EINTR) code = 0;
  if (code == child) return {};
  return "the program takes the status of every child";
}

}  // namespace duoblas
