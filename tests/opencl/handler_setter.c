/* A library that takes a signal when it is loaded, as drivers do, and an alternate stack. */
#define _GNU_SOURCE
#include <signal.h>
#include <stdlib.h>

__attribute__((visibility("default"))) void take_again(void);

static void ignore(int number) {
  (void)number;
}

void take_again(void) {
  signal(SIGUSR1, ignore);
}

__attribute__((constructor)) static void take(void) {
  const stack_t stack = {.ss_sp = malloc(1 << 16), .ss_size = 1 << 16};
  sigset_t one;
  take_again();
  sigaltstack(&stack, NULL);
  sigemptyset(&one);
  sigaddset(&one, SIGUSR2);
  pthread_sigmask(SIG_BLOCK, &one, NULL);
}
