// One process at a time changes a profile.
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>

#include <gtest/gtest.h>

#include <duoblas/error.hpp>

#include "profile/profile_lock.hpp"
#include "support/temporary_directory.hpp"
#include "support/tuned_machine.hpp"

namespace duoblas {
namespace {

namespace fs = std::filesystem;

// Another process, which does `work` and then sleeps until it is told to end, or killed.
class OtherProcess {
 public:
  explicit OtherProcess(const std::function<void()>& work) {
    int ready[2];
    if (::pipe(ready) != 0) throw std::runtime_error("no pipe");
    pid_ = ::fork();
    if (pid_ == 0) {
      work();
      const char done = 'x';
      if (::write(ready[1], &done, 1) != 1) ::_exit(1);
      for (;;) ::pause();
    }
    ::close(ready[1]);
    char done = 0;
    is_ready_ = ::read(ready[0], &done, 1) == 1;
    ::close(ready[0]);
  }
  ~OtherProcess() { kill(); }
  bool is_ready() const { return is_ready_; }
  pid_t pid() const { return pid_; }
  void kill() {
    if (pid_ <= 0) return;
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
    pid_ = -1;
  }

 private:
  pid_t pid_ = -1;
  bool is_ready_ = false;
};

class ProfileLocks : public ::testing::Test {
 protected:
  std::string directory() const { return temporary_ / "profiles"; }
  std::string name() const { return profile_file_name(profile_.key); }
  fs::path lock_file() const { return directory() + "/" + name() + ".lock"; }
  // The complaint where the lock cannot even be tried; empty: it can.
  std::string complaint() const {
    try {
      const ProfileLock lock(directory(), name());
    } catch (const SettingError& error) {
      return error.what();
    }
    return "";
  }

  const Profile profile_ = test::paper_profile();
  const test::TemporaryDirectory temporary_;
};

TEST_F(ProfileLocks, NameTheProcessThatHoldsThem) {
  OtherProcess other([&] { new ProfileLock(directory(), name()); });
  ASSERT_TRUE(other.is_ready());
  const ProfileLock lock(directory(), name());
  EXPECT_FALSE(lock.held());
  EXPECT_EQ(lock.holder(), other.pid());
  try {
    lock.require_held();
    ADD_FAILURE() << "a lock of another process counts as ours";
  } catch (const SettingError& error) {
    const std::string expected =
        "another tuning of this machine is under way (process " + std::to_string(other.pid()) + ")";
    EXPECT_EQ(std::string(error.what()).substr(0, expected.size()), expected);
  }
}

TEST_F(ProfileLocks, EndWithTheirProcessHoweverItEnds) {
  OtherProcess other([&] { new ProfileLock(directory(), name()); });
  ASSERT_TRUE(other.is_ready());
  other.kill();
  EXPECT_TRUE(ProfileLock(directory(), name()).held());
}

TEST_F(ProfileLocks, KeepOthersFromStoringAndLetTheirHolderStore) {
  ASSERT_NE(store_profile(directory(), profile_), "");
  {
    const ProfileLock lock(directory(), name());
    ASSERT_TRUE(lock.held());
    Profile newer = profile_;
    newer.created = "2027-01-01T00:00:00Z";
    EXPECT_THROW(store_profile(directory(), newer), SettingError);
    EXPECT_EQ(load_profile(directory(), profile_.key)->created, profile_.created);
    store_profile(lock, newer);
    EXPECT_EQ(load_profile(directory(), profile_.key)->created, newer.created);
  }
  EXPECT_NO_THROW(store_profile(directory(), profile_));
}

TEST_F(ProfileLocks, DoNotStoreTheProfileOfAnotherMachine) {
  const ProfileLock lock(directory(), name());
  Profile other = profile_;
  other.key.driver = "2.0";
  EXPECT_THROW(store_profile(lock, other), SettingError);
}

TEST_F(ProfileLocks, OfDifferentProfilesDoNotMeet) {
  const ProfileLock one(directory(), name());
  const ProfileLock other(directory(), "another.json");
  EXPECT_TRUE(one.held());
  EXPECT_TRUE(other.held());
}

TEST_F(ProfileLocks, ArePrivateAndLeaveNothingBehind) {
  {
    const ProfileLock lock(directory(), name());
    struct stat status = {};
    ASSERT_EQ(::stat(lock_file().c_str(), &status), 0);
    EXPECT_EQ(status.st_mode & 0777, 0600u);
  }
  EXPECT_TRUE(fs::is_empty(directory()));
}

TEST_F(ProfileLocks, StayWithTheParentWhereAForkedChildEnds) {
  const ProfileLock lock(directory(), name());
  const pid_t child = ::fork();
  if (child == 0) {
    lock.~ProfileLock();
    ::_exit(0);
  }
  ::waitpid(child, nullptr, 0);
  EXPECT_TRUE(fs::exists(lock_file()));
  EXPECT_FALSE(ProfileLock(directory(), name()).held());
}

TEST_F(ProfileLocks, FollowNoSymbolicLinkAndWriteToNoOtherFile) {
  fs::create_directories(directory());
  const fs::path precious = temporary_ / "precious";
  std::ofstream(precious) << "precious";
  fs::create_symlink(precious, lock_file());
  EXPECT_NE(complaint().find("symbolic link"), std::string::npos) << complaint();
  fs::remove(lock_file());
  fs::create_hard_link(precious, lock_file());
  EXPECT_NE(complaint().find("another file"), std::string::npos) << complaint();
  fs::remove(lock_file());
  ASSERT_EQ(::mkfifo(lock_file().c_str(), 0600), 0);
  EXPECT_NE(complaint().find("not a regular file"), std::string::npos) << complaint();
  std::string text;
  std::ifstream(precious) >> text;
  EXPECT_EQ(text, "precious");
}

TEST_F(ProfileLocks, TakeWhatAKilledHolderLeft) {
  fs::create_directories(directory());
  std::ofstream(lock_file()) << "not a process at all\n";
  EXPECT_TRUE(ProfileLock(directory(), name()).held());
}

}  // namespace
}  // namespace duoblas
