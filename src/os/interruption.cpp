#include "os/interruption.hpp"

#include <signal.h>

#include <initializer_list>

namespace duoblas {

void on_interruption(void (*handler)(int)) noexcept {
  struct sigaction action = {};
  action.sa_handler = handler;
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) ::sigaction(signal, &action, nullptr);
}

}  // namespace duoblas
