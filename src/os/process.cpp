#include "os/process.hpp"

#include <errno.h>
#include <signal.h>
#include <sys/auxv.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstring>

#include "os/files.hpp"

namespace duoblas {
namespace {

// It has ended, and its parent has not asked for that yet. If only its first thread has, the others
// are still counted.
bool is_zombie(int process) {
  // Behind the name, which may have any characters: the state, 16 other numbers, the threads.
  constexpr const char* state_and_threads =
      " %c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d %*d %*d %ld";
  const std::string path = "/proc/" + std::to_string(process) + "/stat";
  std::array<char, 512> text = {};
  if (read_small_file(path, text.data(), text.size() - 1) <= 0) return false;
  char state = 0;
  long threads = 1;
  if (const char* const name_end = std::strrchr(text.data(), ')'); name_end != nullptr)
    (void)std::sscanf(name_end + 1, state_and_threads, &state, &threads);
  return (state == 'Z' && threads <= 1) || state == 'X';
}

}  // namespace

int process_id() noexcept {
  return ::getpid();
}

int parent_process_id() noexcept {
  return ::getppid();
}

// Other numbers are groups of processes.
bool is_running(int process) {
  return process > 0 && (::kill(process, 0) == 0 || errno != ESRCH) && !is_zombie(process);
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
