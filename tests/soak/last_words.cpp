#include "soak/last_words.hpp"

#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstring>

namespace duoblas::soak {
namespace {

constexpr int exit_did_not_end = 3;

// Read by a signal's handler, which may allocate nothing.
char words[512];
volatile std::sig_atomic_t length = 0;

void say(const char* text, std::size_t bytes) {
  [[maybe_unused]] const auto wrote = ::write(STDOUT_FILENO, text, bytes);
}
template <std::size_t Size>
void say(const char (&text)[Size]) {
  say(text, Size - 1);
}

void on_signal(int signal) {
  if (signal == SIGALRM)
    say("a call did not end:\n  ");
  else
    say("the process ends by a signal at\n  ");
  say(words, static_cast<std::size_t>(length));
  say("\n");
  if (signal == SIGALRM) ::_exit(exit_did_not_end);
  ::raise(signal);  // the handler was taken out: this one ends the process as ever
}

}  // namespace

void catch_last_words() {
  struct sigaction action = {};
  action.sa_handler = on_signal;
  action.sa_flags = static_cast<int>(SA_RESETHAND | SA_NODEFER);
  for (const int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGALRM})
    ::sigaction(signal, &action, nullptr);
}

void remember_words(const std::string& text, int deadline_seconds) {
  length = 0;
  const std::size_t bytes = std::min(text.size(), sizeof words);
  std::memcpy(words, text.data(), bytes);
  length = static_cast<std::sig_atomic_t>(bytes);
  ::alarm(static_cast<unsigned>(deadline_seconds));
}

void forget_deadline() {
  ::alarm(0);
}

}  // namespace duoblas::soak
