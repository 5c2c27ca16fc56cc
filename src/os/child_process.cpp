#include "os/child_process.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <thread>

#include <duoblas/error.hpp>

#include "os/host_environment.hpp"
#include "os/open_folder.hpp"

namespace duoblas {
namespace {

constexpr std::size_t most_error_bytes = 64u << 10;
constexpr std::chrono::seconds longest_wait{10};

// A file in memory that cannot grow: a driver that complains without end costs no more than this.
int small_file() {
  const int file = memfd_create("standard error", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  if (file < 0) return -1;
  if (ftruncate(file, most_error_bytes) == 0) fcntl(file, F_ADD_SEALS, F_SEAL_GROW | F_SEAL_SHRINK);
  return file;
}

// posix_spawn's own settings: what a child must not inherit, and what it gets instead.
class SpawnSettings {
 public:
  SpawnSettings(int channel, int errors) {
    posix_spawn_file_actions_init(&actions_);
    posix_spawnattr_init(&attributes_);
    posix_spawn_file_actions_adddup2(&actions_, channel, STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&actions_, channel, STDOUT_FILENO);
    if (errors >= 0)
      posix_spawn_file_actions_adddup2(&actions_, errors, STDERR_FILENO);
    else
      posix_spawn_file_actions_addopen(&actions_, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    add_closing_of_others();
    sigset_t none, all;
    sigemptyset(&none);
    sigfillset(&all);
    posix_spawnattr_setsigmask(&attributes_, &none);
    posix_spawnattr_setsigdefault(&attributes_, &all);
    posix_spawnattr_setpgroup(&attributes_, 0);
    posix_spawnattr_setflags(
        &attributes_, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP);
  }
  ~SpawnSettings() {
    posix_spawnattr_destroy(&attributes_);
    posix_spawn_file_actions_destroy(&actions_);
  }
  SpawnSettings(const SpawnSettings&) = delete;
  SpawnSettings& operator=(const SpawnSettings&) = delete;

  int spawn(pid_t* child, char** arguments) const {
    const HostEnvironmentLock unchanged;
    return posix_spawn(child, arguments[0], &actions_, &attributes_, arguments, environ);
  }

 private:
  // The host's own descriptors need not be closed on exec.
  void add_closing_of_others() {
#if defined(__GLIBC__)
    posix_spawn_file_actions_addclosefrom_np(&actions_, STDERR_FILENO + 1);
#else
    // One that another thread opens meanwhile is handed on.
    OpenFolder("/proc/self/fd").for_each_name([this](const char* name) {
      const int descriptor = std::atoi(name);
      if (descriptor > STDERR_FILENO) posix_spawn_file_actions_addclose(&actions_, descriptor);
    });
#endif
  }

  posix_spawn_file_actions_t actions_;
  posix_spawnattr_t attributes_;
};

}  // namespace

std::string describe(const ProcessEnd& end) {
  if (end.exit_code) return "exited with code " + std::to_string(*end.exit_code);
  if (!end.signal) return "ended";
#if defined(__GLIBC__)
  if (const char* name = sigabbrev_np(*end.signal); name != nullptr)
    return std::string("was ended by SIG") + name;
#endif
  return "was ended by signal " + std::to_string(*end.signal);
}

std::vector<bool> channels_with_output(const std::vector<int>& channels, int most_milliseconds) {
  std::vector<pollfd> polled;
  for (const int channel : channels) polled.push_back({channel, POLLIN, 0});
  const int ready = ::poll(polled.data(), static_cast<nfds_t>(polled.size()), most_milliseconds);
  if (ready < 0 && errno != EINTR && errno != EAGAIN)
    throw Error(std::string("cannot wait for child processes: ") + std::strerror(errno));
  std::vector<bool> heard;
  for (const pollfd& one : polled) heard.push_back(ready > 0 && one.revents != 0);
  return heard;
}

ChildProcess::ChildProcess(const std::vector<std::string>& command) : owner_(getpid()) {
  std::vector<char*> arguments;
  for (const std::string& word : command) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  // A socket, because a write to it can do without SIGPIPE.
  std::array<int, 2> ends;
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) {
    throw Error("cannot start " + command.at(0) + ": " + std::strerror(errno));
  }
  channel_ = ends[0];
  errors_ = small_file();
  const int error = SpawnSettings(ends[1], errors_).spawn(&child_, arguments.data());
  close(ends[1]);
  if (error != 0) {
    close(channel_);
    if (errors_ >= 0) close(errors_);
    throw Error("cannot start " + command.at(0) + ": " + std::strerror(error));
  }
}

ChildProcess::~ChildProcess() {
  end();
  close(channel_);
  if (errors_ >= 0) close(errors_);
}

bool ChildProcess::has_output(int most_milliseconds) const noexcept {
  pollfd waiting{channel_, POLLIN, 0};
  return ::poll(&waiting, 1, most_milliseconds) > 0;
}

bool ChildProcess::send(std::string_view text) noexcept {
  while (!text.empty()) {
    const ssize_t put = ::send(channel_, text.data(), text.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (put < 0 && errno == EINTR) continue;
    if (put <= 0) return false;
    text.remove_prefix(static_cast<std::size_t>(put));
  }
  return true;
}

bool ChildProcess::receive(std::string& text) {
  std::array<char, 4096> bytes;
  while (true) {
    const ssize_t got = recv(channel_, bytes.data(), bytes.size(), MSG_DONTWAIT);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return errno == EAGAIN || errno == EWOULDBLOCK;
    text.append(bytes.data(), static_cast<std::size_t>(got));
    // One read at a time: a child that never stops talking must not keep its reader here.
    return got > 0;
  }
}

ProcessEnd ChildProcess::end() noexcept {
  if (end_ || getpid() != owner_) return end_.value_or(ProcessEnd{});
  end_.emplace();
  // A process that is ending already keeps the status that it ends with.
  kill(-child_, SIGKILL);
  int status = 0;
  pid_t waited = 0;
  // A driver that hangs inside the kernel can put even this off. It is not waited for for ever.
  const auto deadline = std::chrono::steady_clock::now() + longest_wait;
  while ((waited = waitpid(child_, &status, WNOHANG)) <= 0) {
    if (waited < 0 && errno != EINTR) break;  // the host took the status, or ignores SIGCHLD
    if (std::chrono::steady_clock::now() >= deadline) break;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  if (waited != child_) return *end_;
  if (WIFEXITED(status)) end_->exit_code = WEXITSTATUS(status);
  if (WIFSIGNALED(status)) end_->signal = WTERMSIG(status);
  return *end_;
}

std::string ChildProcess::last_words() const {
  // The child writes at the offset that both descriptors share: so much of the file was written.
  const off_t written = errors_ < 0 ? 0 : lseek(errors_, 0, SEEK_CUR);
  if (written <= 0) return "";
  std::string text(static_cast<std::size_t>(written), '\0');
  const ssize_t got = pread(errors_, text.data(), text.size(), 0);
  text.resize(got < 0 ? 0 : static_cast<std::size_t>(got));
  const std::size_t last = text.find_last_not_of(" \t\r\n");
  if (last == std::string::npos) return "";
  text.resize(last + 1);
  text.erase(0, text.rfind('\n') + 1);
  return text.substr(0, 300);
}

}  // namespace duoblas
