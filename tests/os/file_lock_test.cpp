// Locks of open files: waited for within bounds, and given back for forked children, too.
#include "os/file_lock.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>

#include <gtest/gtest.h>

#include "os/files.hpp"
#include "support/temporary_directory.hpp"

namespace duoblas {
namespace {

using namespace std::chrono_literals;

class AFileLock : public testing::Test {
 protected:
  FileDescriptor opened() const {
    return FileDescriptor(open_file(folder.path() + "/lock", Opened::as_lock));
  }
  const test::TemporaryDirectory folder;
};

TEST_F(AFileLock, IsNotWaitedForWithoutEnd) {
  const FileDescriptor mine = opened(), others = opened();
  EXPECT_EQ(wait_for_lock(others.get(), 0ms), LockAttempt::taken);
  EXPECT_EQ(wait_for_lock(mine.get(), 2ms), LockAttempt::held_by_another);
  unlock(others.get());
  EXPECT_EQ(wait_for_lock(mine.get(), 0ms), LockAttempt::taken);
  EXPECT_EQ(wait_for_lock(-1, 10s), LockAttempt::impossible);
}

TEST_F(AFileLock, ThatIsGivenBackIsNotKeptByAChild) {
  const FileDescriptor mine = opened(), others = opened();
  ASSERT_EQ(try_lock(mine.get()), LockAttempt::taken);
  const pid_t child = ::fork();
  if (child == 0) {
    ::pause();
    ::_exit(0);
  }
  unlock(mine.get());
  EXPECT_EQ(try_lock(others.get()), LockAttempt::taken);
  ::kill(child, SIGKILL);
  EXPECT_EQ(::waitpid(child, nullptr, 0), child);
}

}  // namespace
}  // namespace duoblas
