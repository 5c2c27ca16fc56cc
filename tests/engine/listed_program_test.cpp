// The list of programs whose device starts before main().
#include "engine/listed_program.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "support/temporary_directory.hpp"

namespace duoblas {
namespace {

int unchanged = 1;
duoblas_program program = {0x1234, 0xabcd, [] { return unchanged; }, 0};
const std::string salt = "0000000000001234\n", own = "000000000000abcd\n";

// The process has one program.
class AListedProgram : public testing::Test {
 protected:
  AListedProgram() {
    note_program(&program);
    unchanged = 1;
    std::filesystem::create_directory(folder / "programs");
  }
  std::string text() const {
    std::ifstream file(path);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  void write(const std::string& content) const { std::ofstream(path) << content; }

  const test::TemporaryDirectory folder;
  const std::string path = folder / DUOBLAS_PROGRAM_LIST;
};

TEST_F(AListedProgram, IsPutOnTheListAndTakenOff) {
  list_program(folder.path(), false);
  EXPECT_EQ(text(), "") << "it was not there";
  for (int twice = 0; twice < 2; ++twice) list_program(folder.path(), true);
  EXPECT_EQ(text(), salt + own);
  EXPECT_EQ(std::filesystem::status(path).permissions(),
            std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
  const std::string other = "0000000000000001\n";
  write(salt + other + own + other);
  list_program(folder.path(), false);
  EXPECT_EQ(text(), salt + other + other);
}

TEST_F(AListedProgram, IsNotPutThereIfItChangesWhatDriversRead) {
  unchanged = 0;
  list_program(folder.path(), true);
  EXPECT_EQ(text(), "");
  write(salt + own);
  list_program(folder.path(), false);
  EXPECT_EQ(text(), salt);
}

TEST_F(AListedProgram, LeavesAListThatAnotherProcessHasBegun) {
  const std::string others = "0000000000009999\n" + own;
  write(others);
  list_program(folder.path(), true);
  EXPECT_EQ(text(), others);
}

TEST_F(AListedProgram, BeginsADamagedListAnew) {
  for (const char* damaged : {"no list", "0000000000001234", "000000000000123g\n"}) {
    write(damaged);
    list_program(folder.path(), true);
    EXPECT_EQ(text(), salt + own) << damaged;
  }
}

TEST_F(AListedProgram, TakesTheOldestOnesPlace) {
  std::string full = salt;
  for (int i = 1; full.size() + own.size() <= DUOBLAS_MOST_LISTED_BYTES; ++i)
    full += "00000000000" + std::to_string(10000 + i) + "\n";
  write(full);
  list_program(folder.path(), true);
  EXPECT_LE(text().size(), std::size_t{DUOBLAS_MOST_LISTED_BYTES});
  EXPECT_TRUE(text().starts_with(salt + "0000000000010002\n"));
  EXPECT_TRUE(text().ends_with(own));
}

// Ranks of a job end together.
TEST_F(AListedProgram, TakesTurnsWithOthers) {
  std::vector<pid_t> others;
  for (std::uint64_t i = 0; i < 12; ++i) {
    others.push_back(::fork());
    if (others.back() != 0) continue;
    program.key = i + 1;
    list_program(folder.path(), true);
    ::_exit(0);
  }
  for (const pid_t other : others) EXPECT_EQ(::waitpid(other, nullptr, 0), other);
  EXPECT_EQ(text().size(), salt.size() + others.size() * own.size());
}

TEST_F(AListedProgram, NeedsNoPlace) {
  list_program("", true);
  list_program("/dev/null/nowhere", true);
}

}  // namespace
}  // namespace duoblas
