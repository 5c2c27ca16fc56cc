#include "os/process.hpp"

#include <errno.h>
#include <signal.h>
#include <sys/auxv.h>
#include <unistd.h>

#include <array>

namespace duoblas {

int process_id() noexcept {
  return ::getpid();
}

int parent_process_id() noexcept {
  return ::getppid();
}

bool is_running(int process) noexcept {
  return ::kill(process, 0) == 0 || errno != ESRCH;
}

bool is_main_thread() noexcept {
  return ::gettid() == ::getpid();
}

std::string program_name() {
  return program_invocation_short_name;
}

unsigned effective_user() noexcept {
  return ::geteuid();
}

unsigned effective_group() noexcept {
  return ::getegid();
}

bool has_others_rights() noexcept {
  return ::getauxval(AT_SECURE) != 0;
}

std::string host_name() {
  std::array<char, 256> name = {};
  return ::gethostname(name.data(), name.size() - 1) == 0 ? name.data() : std::string();
}

void end_at_once(int exit_code) noexcept {
  ::_exit(exit_code);
}

}  // namespace duoblas
