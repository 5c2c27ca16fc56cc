#include "os/parent_channel.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cstddef>
#include <cstdlib>

#include "os/file_descriptor.hpp"

namespace duoblas {

void end_with_parent() noexcept {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  const rlimit none{0, 0};
  setrlimit(RLIMIT_CORE, &none);
}

ParentChannel::ParentChannel()
    : in_(fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3)), out_(fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3)) {
  const int nowhere = open("/dev/null", O_RDWR | O_CLOEXEC);
  if (nowhere < 0) return;
  dup2(nowhere, STDIN_FILENO);
  dup2(nowhere, STDOUT_FILENO);
  close(nowhere);
  lines_ = fdopen(in_, "r");
}

ParentChannel::~ParentChannel() {
  if (lines_ != nullptr) fclose(lines_);
  close(out_);
}

std::optional<std::string> ParentChannel::hear() {
  char* text = nullptr;
  std::size_t room = 0;
  const ssize_t length = lines_ == nullptr ? -1 : getline(&text, &room, lines_);
  std::optional<std::string> line;
  if (length > 0) line.emplace(text, static_cast<std::size_t>(length));
  free(text);
  return line;
}

void ParentChannel::say(std::string line) {
  line += '\n';
  static_cast<void>(write_all(out_, line.data(), line.size()));
}

}  // namespace duoblas
