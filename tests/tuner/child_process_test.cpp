// Child processes: started, heard, ended, with all that they started.
#include "os/child_process.hpp"

#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include <string>

#include <gtest/gtest.h>

#include <duoblas/error.hpp>

namespace duoblas {
namespace {

// All that it says until the first line is complete, or until it ends.
std::string first_line(ChildProcess& child) {
  std::string text;
  bool more = true;
  while (more && text.find('\n') == std::string::npos) {
    pollfd waiting{child.channel(), POLLIN, 0};
    if (poll(&waiting, 1, 30'000) <= 0) break;
    more = child.receive(text);
  }
  return text.substr(0, text.find('\n'));
}

std::string shell_says(const std::string& script) {
  ChildProcess child({"/bin/sh", "-c", script});
  return first_line(child);
}

ProcessEnd end_of_shell(const std::string& script) {
  ChildProcess child({"/bin/sh", "-c", script});
  first_line(child);
  return child.end();
}

TEST(ChildProcess, HearsAndAnswers) {
  ChildProcess child({"/bin/cat"});
  ASSERT_TRUE(child.send("a line\n"));
  EXPECT_EQ(first_line(child), "a line");
  ASSERT_TRUE(child.send("another\n"));
  EXPECT_EQ(first_line(child), "another");
}

TEST(ChildProcess, ThatCannotStartIsNamed) {
  try {
    ChildProcess child({"/nonexistent/program"});
    FAIL() << "it started";
  } catch (const Error& e) {
    EXPECT_NE(std::string(e.what()).find("/nonexistent/program"), std::string::npos) << e.what();
  }
}

TEST(ChildProcess, SaysHowItEnded) {
  EXPECT_EQ(describe(end_of_shell("exit 3")), "exited with code 3");
  EXPECT_EQ(describe(end_of_shell("exit 0")), "exited with code 0");
  EXPECT_EQ(describe(end_of_shell("kill -SEGV $$")), "was ended by SIGSEGV");
  ChildProcess endless({"/bin/cat"});
  EXPECT_EQ(describe(endless.end()), "was ended by SIGKILL");
  EXPECT_EQ(describe(endless.end()), "was ended by SIGKILL");
}

TEST(ChildProcess, TakesWhatItStartedWithIt) {
  ChildProcess child({"/bin/sh", "-c", "sleep 1000 & echo $!; wait"});
  const pid_t grandchild = std::stoi(first_line(child));
  ASSERT_EQ(kill(grandchild, 0), 0);
  child.end();
  // Killed at once; what is left of it is for its new parent to collect.
  for (int i = 0; i < 3000 && kill(grandchild, 0) == 0; ++i) {
    const std::string state = shell_says("cut -d ' ' -f 3 /proc/" + std::to_string(grandchild) +
                                         "/stat 2>/dev/null || echo gone");
    if (state == "Z" || state == "gone") return;
  }
  EXPECT_NE(kill(grandchild, 0), 0);
}

TEST(ChildProcess, KeepsTheLastLineOfItsErrors) {
  ChildProcess child({"/bin/sh", "-c", "echo first >&2; echo the last >&2; echo >&2; exit 1"});
  first_line(child);
  child.end();
  EXPECT_EQ(child.last_words(), "the last");
  ChildProcess endless({"/bin/sh", "-c", "yes complaint >&2; echo done"});
  EXPECT_EQ(first_line(endless), "done");  // 64 KiB are kept, and more is refused
  ChildProcess silent({"/bin/true"});
  first_line(silent);
  EXPECT_EQ(silent.last_words(), "");
}

TEST(ChildProcess, ThatIsGoneDoesNotEndItsParent) {
  ChildProcess child({"/bin/true"});
  first_line(child);
  while (child.send("is anybody there?")) {
  }
  std::string nothing;
  EXPECT_FALSE(child.receive(nothing));
}

TEST(ChildProcess, ThatDoesNotReadDoesNotKeepItsParent) {
  ChildProcess child({"/bin/sleep", "1000"});
  while (child.send(std::string(4096, 'x'))) {
  }
  EXPECT_EQ(describe(child.end()), "was ended by SIGKILL");
}

TEST(ChildProcess, WorksWhereTheHostIgnoresTheEndsOfChildren) {
  const auto before = signal(SIGCHLD, SIG_IGN);
  const ProcessEnd end = end_of_shell("exit 3");
  EXPECT_FALSE(end.exit_code || end.signal);
  // The child itself can still wait for its own.
  EXPECT_EQ(shell_says("sh -c 'exit 5'; echo $?"), "5");
  signal(SIGCHLD, before);
}

TEST(ChildProcess, HasAGroupAndSignalsOfItsOwn) {
  sigset_t blocked, before;
  sigemptyset(&blocked);
  sigaddset(&blocked, SIGTERM);
  sigprocmask(SIG_BLOCK, &blocked, &before);
  EXPECT_EQ(describe(end_of_shell("kill -TERM $$; echo alive")), "was ended by SIGTERM");
  sigprocmask(SIG_SETMASK, &before, nullptr);
  const std::string group = shell_says("cut -d ' ' -f 5 /proc/$$/stat");
  EXPECT_NE(group, std::to_string(getpgrp()));
}

TEST(ChildProcess, HasNoDescriptorButItsThree) {
  // The fourth is of the listing itself.
  EXPECT_EQ(shell_says("echo $(ls /proc/self/fd)"), "0 1 2 3");
}

}  // namespace
}  // namespace duoblas
