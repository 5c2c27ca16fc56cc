#include "os/standard_streams.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <initializer_list>

namespace duoblas {

// A file that is opened gets the lowest number that is free.
void occupy_closed_streams() noexcept {
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    const int useless = stream == STDIN_FILENO ? O_WRONLY : O_RDONLY;
    if (::fcntl(stream, F_GETFD) < 0) (void)::open("/dev/null", useless | O_CLOEXEC);
  }
}

}  // namespace duoblas
