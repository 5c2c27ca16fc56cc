// What is registered for the process's exit where the device cannot be opened in the background.
#include <gtest/gtest.h>

#include <pthread.h>
#include <cerrno>

#include <atomic>
#include <thread>

#include "engine/dropin_opening.hpp"

namespace {

std::atomic<bool> threads_are_short{false};
std::atomic<int> handlers{0};

}  // namespace

// The linker gives the library these (see CMakeLists.txt).
extern "C" {
int __real_pthread_create(pthread_t* thread, const pthread_attr_t* attributes, void* (*body)(void*),
                          void* argument);
int __wrap_pthread_create(pthread_t* thread, const pthread_attr_t* attributes, void* (*body)(void*),
                          void* argument) {
  if (threads_are_short) return EAGAIN;
  return __real_pthread_create(thread, attributes, body, argument);
}

int __real_atexit(void (*handler)());
int __wrap_atexit(void (*handler)()) {
  ++handlers;
  return __real_atexit(handler);
}
}

namespace duoblas::test {
namespace {

Settings without_device() {
  Settings settings;
  settings.device = "none";
  return settings;
}

void do_nothing(Engine&) {}

TEST(DropinOpening, RegistersOneExitHandlerHoweverOftenThereIsNoThread) {
  Engine engine(without_device());
  handlers = 0;
  threads_are_short = true;
  for (int call = 0; call < 50; ++call) EXPECT_FALSE(opened_in_background(engine, do_nothing));
  EXPECT_EQ(handlers, 1);
  threads_are_short = false;
  while (!opened_in_background(engine, do_nothing)) std::this_thread::yield();
  EXPECT_EQ(handlers, 2) << "one more for what a driver registered";
}

}  // namespace
}  // namespace duoblas::test
