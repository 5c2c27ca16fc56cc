// Our descriptors in a process that closes files it did not open.
#include "os/file_descriptor.hpp"

#include <gtest/gtest.h>

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "support/in_child.hpp"

namespace duoblas {
namespace {

int opened() {
  return ::open("/dev/null", O_RDWR | O_CLOEXEC);
}

bool is_open(int number) {
  return ::fcntl(number, F_GETFD) >= 0;
}

// False: the process may not have so many.
bool limit_numbers(rlim_t most) {
  rlimit limit{};
  ::getrlimit(RLIMIT_NOFILE, &limit);
  limit.rlim_cur = most;
  return ::setrlimit(RLIMIT_NOFILE, &limit) == 0;
}

TEST(AFileDescriptor, KeepsTheNumberThatItWasOpenedWith) {
  const int number = opened();
  const FileDescriptor file(number);
  EXPECT_EQ(file.get(), number) << "a larger table of them takes a program with threads 10 ms";
}

TEST(AFileDescriptor, ThatLastsHasANumberThatAProgramsFilesHardlyReach) {
  const bool right = test::in_child([] {
    limit_numbers(FD_SETSIZE);
    const FileDescriptor within = FileDescriptor::lasting(opened());
    const bool may_be_beyond = limit_numbers(FD_SETSIZE + 1000);
    const FileDescriptor beyond = FileDescriptor::lasting(opened());
    return within.get() > 900 && within.get() < FD_SETSIZE &&
           (!may_be_beyond || beyond.get() >= FD_SETSIZE) &&
           (::fcntl(beyond.get(), F_GETFD) & FD_CLOEXEC) != 0;
  });
  EXPECT_TRUE(right);
  const int lowest = opened();
  const FileDescriptor moved = FileDescriptor::lasting(lowest);
  EXPECT_FALSE(is_open(lowest)) << "it has one number";
}

TEST(AFileDescriptor, IsNoneOfTheStandardStreamsThoughTheyAreClosed) {
  for (const bool lasts : {false, true})
    for (const rlim_t most : {4, 8, 1024}) {
      const bool right = test::in_child([lasts, most] {
        limit_numbers(most);
        ::closefrom(0);
        const FileDescriptor file =
            lasts ? FileDescriptor::lasting(opened()) : FileDescriptor(opened());
        return file.get() > STDERR_FILENO && !is_open(STDIN_FILENO);
      });
      EXPECT_TRUE(right) << lasts << ' ' << most;
    }
  const bool right = test::in_child([] {
    ::closefrom(0);
    limit_numbers(3);
    const FileDescriptor file(opened());
    return file.get() < 0 && !is_open(STDIN_FILENO);
  });
  EXPECT_TRUE(right) << "no other number is allowed";
}

TEST(AFileDescriptor, IsOpenThoughAllHighNumbersAreUsed) {
  const bool right = test::in_child([] {
    limit_numbers(64);
    for (int number = 59; number < 64; ++number) ::dup2(STDERR_FILENO, number);
    const FileDescriptor file = FileDescriptor::lasting(opened());
    return file.get() > STDERR_FILENO && file.get() < 59;
  });
  EXPECT_TRUE(right);
}

TEST(AFileDescriptor, IsLostWhereTheProgramClosesIt) {
  FileDescriptor file(opened());
  EXPECT_FALSE(file.is_lost());
  ::close(file.get());
  EXPECT_LT(file.get(), 0);
  EXPECT_TRUE(file.is_lost());
  file.close();
  EXPECT_FALSE(file.is_lost()) << "nothing is expected of it any more";
}

TEST(AFileDescriptor, LeavesTheProgramsFileOfItsNumberOpen) {
  int number = -1;
  {
    FileDescriptor file(opened());
    number = file.get();
    const int programs = ::open("/dev/zero", O_RDONLY | O_CLOEXEC);
    ASSERT_EQ(::dup2(programs, number), number);
    ::close(programs);
    EXPECT_LT(file.get(), 0);
    EXPECT_TRUE(file.is_lost());
    FileDescriptor other(std::move(file));
    other = FileDescriptor();
  }
  EXPECT_TRUE(is_open(number));
  ::close(number);
}

TEST(AFileDescriptor, OfNothingKeepsTheReason) {
  errno = 0;
  const FileDescriptor none(::open("/nonexistent", O_RDONLY | O_CLOEXEC));
  EXPECT_LT(none.get(), 0);
  EXPECT_FALSE(none.is_lost());
  EXPECT_EQ(errno, ENOENT);
}

}  // namespace
}  // namespace duoblas
