// The file of learned times: whole, private, and for its key alone.
#include "engine/learned_file.hpp"

#include <gtest/gtest.h>

#include <fcntl.h>
#include <sys/select.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "support/in_child.hpp"
#include "support/temporary_directory.hpp"

namespace duoblas {
namespace {

using Bytes = std::vector<unsigned char>;

class ALearnedFile : public testing::Test {
 protected:
  LearnedFile file(const std::string& key = "key", const std::string& device = "GPU") const {
    return LearnedFile(folder.path(), key, device);
  }
  const test::TemporaryDirectory folder;
};

TEST_F(ALearnedFile, IsReadByALaterProcess) {
  EXPECT_TRUE(file().store({1, 2, 3}));
  EXPECT_EQ(file().load(), (Bytes{1, 2, 3}));
}

TEST_F(ALearnedFile, IsForItsKeyAlone) {
  EXPECT_TRUE(file().store({1, 2, 3}));
  EXPECT_TRUE(file("key with OMP_NUM_THREADS=1").load().empty());
  EXPECT_TRUE(file("key with OMP_NUM_THREADS=1").store({4}));
  EXPECT_EQ(file().load(), (Bytes{1, 2, 3}));
}

TEST_F(ALearnedFile, IsNotWrittenWhileAnotherUsesTheDevice) {
  LearnedFile mine = file();
  EXPECT_TRUE(mine.store({1}));
  {
    LearnedFile others = file("another key");
    EXPECT_TRUE(mine.is_shared());
    EXPECT_FALSE(mine.store({2}));
    EXPECT_FALSE(others.store({3}));
    EXPECT_EQ(mine.load(), Bytes{1});
    EXPECT_TRUE(mine.store_beside_others({5})) << "what does not depend on times";
    EXPECT_EQ(mine.load(), Bytes{5});
  }
  EXPECT_TRUE(mine.store({4})) << "it is alone again";
  const LearnedFile of_another_device = file("key", "another GPU");
  EXPECT_FALSE(mine.is_shared());
}

TEST_F(ALearnedFile, OfAParentIsNotUsedByAChildThatLivesOn) {
  auto parents = std::make_unique<LearnedFile>(folder.path(), "key", "GPU");
  int to_child[2], from_child[2];
  ASSERT_EQ(::pipe(to_child), 0);
  ASSERT_EQ(::pipe(from_child), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    char byte = 1;
    const bool told = ::write(from_child[1], &byte, 1) == 1 && ::read(to_child[0], &byte, 1) == 1;
    ::_exit(told ? 0 : 1);
  }
  char byte = 0;
  ASSERT_EQ(::read(from_child[0], &byte, 1), 1) << "it runs";
  EXPECT_TRUE(LearnedFile(folder.path(), "key", "GPU").is_shared()) << "the parent's lock stays";
  parents.reset();
  EXPECT_FALSE(LearnedFile(folder.path(), "key", "GPU").is_shared());
  ASSERT_EQ(::write(to_child[1], &byte, 1), 1);
  int status = -1;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  for (const int end : {to_child[0], to_child[1], from_child[0], from_child[1]}) ::close(end);
}

// As daemons do. What they open then gets the numbers that were free.
void replace_all_files() {
  ::closefrom(STDERR_FILENO + 1);
  for (int opened = 0; opened < 4; ++opened) (void)::open("/dev/null", O_RDWR);
  for (int number = 900; number < FD_SETSIZE + 20; ++number) ::dup2(3, number);
}

TEST_F(ALearnedFile, GoesOnWhereTheProgramHasClosedItsFileAndUsesItsNumber) {
  const bool right = test::in_child([&] {
    LearnedFile mine = file();
    replace_all_files();
    const bool stored = mine.store({1}) && mine.load() == Bytes{1};
    LearnedFile others = file("another key");
    return stored && mine.is_shared() && others.is_shared();
  });
  EXPECT_TRUE(right);
}

TEST_F(ALearnedFile, GoesWithoutWhereItCannotBeOpenedAgain) {
  const bool right = test::in_child([&] {
    LearnedFile mine = file();
    replace_all_files();
    std::filesystem::rename(folder.path(), folder.path() + ".moved");
    const bool stored = mine.store({1});
    std::filesystem::rename(folder.path() + ".moved", folder.path());
    return !stored && mine.load().empty();
  });
  EXPECT_TRUE(right);
}

TEST_F(ALearnedFile, ClosesNoFileOfTheProgramInItsChildren) {
  const bool right = test::in_child([&] {
    LearnedFile mine = file();
    replace_all_files();
    return test::in_child([] {
      for (const int number : {3, 4, 5, 6, 930, 970, FD_SETSIZE - 1})
        if (::fcntl(number, F_GETFD) < 0) return false;
      return true;
    });
  });
  EXPECT_TRUE(right);
}

// A cache that is mounted so, or on a full disk.
TEST_F(ALearnedFile, IsReadAndNotWrittenWhereNoUsersCanBeCounted) {
  EXPECT_TRUE(file().store({1, 2, 3}));
  for (const auto& entry : std::filesystem::directory_iterator(learned_folder(folder.path())))
    if (entry.path().extension() == ".users") {
      std::filesystem::remove(entry.path());
      std::filesystem::create_directory(
          entry.path());  // cannot be opened for writing, even by root
    }
  EXPECT_EQ(file().load(), (Bytes{1, 2, 3}));
  EXPECT_FALSE(file().store({4}));
}

TEST_F(ALearnedFile, IsNothingWhereItIsDamagedOrCannotBe) {
  EXPECT_TRUE(file().store({1, 2, 3}));
  for (const auto& entry : std::filesystem::directory_iterator(folder / "learned"))
    std::ofstream(entry.path(), std::ios::app) << "more";
  EXPECT_TRUE(file().load().empty());
  LearnedFile nowhere("", "key", "GPU"), impossible("/dev/null/nowhere", "key", "GPU");
  for (LearnedFile* none : {&nowhere, &impossible}) {
    EXPECT_FALSE(none->store({1}));
    EXPECT_TRUE(none->load().empty());
  }
}

}  // namespace
}  // namespace duoblas
