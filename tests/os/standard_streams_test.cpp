// Standard streams that are closed or open when a command begins.
#include "os/standard_streams.hpp"

#include <gtest/gtest.h>

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>

#include "support/in_child.hpp"

namespace duoblas {
namespace {

bool fails_with_bad_descriptor(ssize_t result) {
  return result < 0 && errno == EBADF;
}

TEST(StandardStreamsThatAreClosed, GiveTheirNumbersToNoFileAndStayUseless) {
  const bool right = test::in_child([] {
    ::closefrom(0);
    occupy_closed_streams();
    char byte = 0;
    return ::open("/dev/null", O_RDWR) == STDERR_FILENO + 1 &&
           fails_with_bad_descriptor(::read(STDIN_FILENO, &byte, 1)) &&
           fails_with_bad_descriptor(::write(STDOUT_FILENO, &byte, 1)) &&
           fails_with_bad_descriptor(::write(STDERR_FILENO, &byte, 1));
  });
  EXPECT_TRUE(right);
}

TEST(StandardStreamsThatAreClosed, AreSoInProgramsThatTheProcessBecomes) {
  const bool right = test::in_child([] {
    ::close(STDOUT_FILENO);
    occupy_closed_streams();
    return ::execl("/bin/sh", "sh", "-c", "[ ! -e /proc/self/fd/1 ]", nullptr) == 0;
  });
  EXPECT_TRUE(right);
}

TEST(StandardStreamsThatAreOpen, StayAsTheyAre) {
  const bool right = test::in_child([] {
    const int number = ::open("/dev/zero", O_RDONLY);
    if (::dup2(number, STDIN_FILENO) != STDIN_FILENO) return false;
    occupy_closed_streams();
    char byte = 1;
    return ::read(STDIN_FILENO, &byte, 1) == 1 && byte == 0;
  });
  EXPECT_TRUE(right);
}

}  // namespace
}  // namespace duoblas
