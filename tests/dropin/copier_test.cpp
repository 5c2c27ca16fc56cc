// Which threads copy a program's far-apart elements.
#include "dropin/engine/copier.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <iterator>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "os/semaphore.hpp"
#include "support/comes_true.hpp"

namespace duoblas {
namespace {

int threads_of_process() {
  const std::filesystem::directory_iterator tasks("/proc/self/task");
  return static_cast<int>(std::distance(begin(tasks), end(tasks)));
}

TEST(ATeamThatCopies, LeavesACoreWhereThereAreMany) {
  EXPECT_EQ(Copier::team_of(16), 15);
  EXPECT_EQ(Copier::team_of(12), 11);
  EXPECT_EQ(Copier::team_of(8), 8) << "an eighth is too much";
  EXPECT_EQ(Copier::team_of(2), 2);
}

class Copies : public ::testing::Test {
 protected:
  static constexpr std::int64_t most = 1000, step = 64;

  // The next test is not to count threads of this one.
  void TearDown() override {
    copier.reset();
    end.release();
    other.join();
    EXPECT_TRUE(test::comes_true([&] { return threads_of_process() == before - 1; }));
  }

  // False: it was copied wrongly, or written to though it was left to the program.
  bool copy_once(std::int64_t n, int threads) {
    std::fill(y.begin(), y.end(), -1.0);
    if (!copier->copies({n, 8, x.data(), step, y.data(), 1, threads}))
      return std::ranges::count(y, -1.0) == most;
    for (std::int64_t i = 0; i < most; ++i)
      if (y[static_cast<std::size_t>(i)] != (i < n ? static_cast<double>(i * step) : -1))
        return false;
    return true;
  }
  // Enough for a trial, also where other programs disturb some. \pre it is the first of its length.
  void copy_in_a_loop(std::int64_t n, int threads) {
    for (int call = 0; call < 1000; ++call) ASSERT_TRUE(copy_once(n, threads));
  }
  // The system counts a thread that was joined for a while longer.
  bool team_comes_to(int threads) const {
    return test::comes_true([&] { return threads_of_process() - before + 1 == threads; });
  }

  CpuLimits limits() const { return {{}, 6}; }  // more than there may be cores
  std::optional<Copier> copier{std::in_place, limits()};
  std::vector<double> x = numbers(), y = std::vector<double>(most);
  // The thread sanitizer starts a thread of its own together with a program's first one.
  Semaphore end{0};
  std::thread other{[this] { end.acquire(); }};
  const int before = threads_of_process();

 private:
  static std::vector<double> numbers() {
    std::vector<double> made(most * step);
    for (std::size_t i = 0; i < made.size(); ++i) made[i] = static_cast<double>(i);
    return made;
  }
};

TEST_F(Copies, AreByNoMoreThreadsThanTheProgramAllows) {
  copy_in_a_loop(250, 2);
  EXPECT_TRUE(team_comes_to(2));
  copy_in_a_loop(500, 4);
  EXPECT_TRUE(team_comes_to(4));
  copy_in_a_loop(1000, 0);
  EXPECT_TRUE(team_comes_to(6)) << "it says nothing";
}

// As a routine of LAPACK makes them between calls of BLAS.
TEST_F(Copies, ThatDoNotFollowEachOtherAreTheCallersOwn) {
  for (int call = 0; call < 40; ++call) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    ASSERT_TRUE(copy_once(600, 4));
    ASSERT_EQ(y[1], static_cast<double>(step)) << "it was left to the program";
  }
  EXPECT_EQ(threads_of_process(), before);
}

TEST_F(Copies, OfOneThreadAreThePrograms) {
  EXPECT_FALSE(copier->copies({600, 8, x.data(), step, y.data(), 1, 1}));
}

}  // namespace
}  // namespace duoblas
