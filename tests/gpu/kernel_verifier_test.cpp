// Which kernels are tried, and what later processes know of them.
#include "gpu/kernels/kernel_verifier.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>

#include "gpu/kernels/kernel_source.hpp"
#include "support/first_device.hpp"
#include "support/temporary_directory.hpp"

namespace duoblas {
namespace {

std::int64_t today = 1'800'000'000;
constexpr std::int64_t day = 24 * 3600;

// A process of its own, as far as verdicts are concerned.
struct Process {
  explicit Process(const std::filesystem::path& folder, const char* environment = "")
      : verifier(test::first_device(), {true, folder.string(), environment}, [] { return today; }) {
  }

  // Why the variant is not used. `failing`: how many trials find something wrong.
  std::string use(int failing = 0) {
    if (std::string why = verifier.quarantine(program()); !why.empty()) return why;
    return verifier.verify(program(), [&](std::uint64_t seed, bool again) -> std::string {
      ++tried;
      EXPECT_EQ(again, tried > 1);
      seeds.push_back(seed);
      return tried <= failing ? "element (1, 2) is 3" : "";
    });
  }

  KernelIdentity program() const {
    return {"a kernel", kernel_options(variant), kernel_source(variant.params, "")};
  }

  KernelVariant variant;
  KernelVerifier verifier;
  int tried = 0;
  std::vector<std::uint64_t> seeds;
};

struct Verdicts : testing::Test {
  const test::TemporaryDirectory directory;
  const std::filesystem::path folder = directory / "verdicts";
};

TEST_F(Verdicts, AreKnownToTheNextProcess) {
  Process first(folder), second(folder);
  EXPECT_EQ(first.use(), "");
  EXPECT_EQ(first.tried, 1);
  EXPECT_EQ(second.use(), "");
  EXPECT_EQ(second.tried, 0);
  EXPECT_EQ(second.verifier.trials(), 0u);
}

TEST_F(Verdicts, AreOfOneVariantDriverAndEnvironment) {
  Process(folder).use();
  Process other_ops(folder);
  other_ops.variant.op_b = Op::transpose;
  other_ops.use();
  EXPECT_EQ(other_ops.tried, 1);
  Process other_environment(folder, "POCL_WORK_GROUP_METHOD=cbs\n");
  other_environment.use();
  EXPECT_EQ(other_environment.tried, 1);
}

TEST_F(Verdicts, AreForgottenAfterAMonth) {
  Process(folder).use();
  today += 29 * day;
  Process soon(folder);
  soon.use();
  EXPECT_EQ(soon.tried, 0);
  today += 2 * day;
  Process later(folder);
  later.use();
  EXPECT_EQ(later.tried, 1);
}

TEST_F(Verdicts, OfAClockThatWasWrongDoNotLast) {
  today += 400 * day;
  Process(folder).use();
  today -= 400 * day;
  Process later(folder);
  later.use();
  EXPECT_EQ(later.tried, 1);
}

// (Before, each later process tried such a kernel again.)
TEST_F(Verdicts, OfAFailureWhenTheClockWasWrongDoNotLast) {
  today += 400 * day;
  EXPECT_NE(Process(folder).use(1), "");
  today -= 400 * day;
  EXPECT_EQ(Process(folder).use(), "");
  Process last(folder);
  EXPECT_EQ(last.use(), "");
  EXPECT_EQ(last.tried, 0);
}

// (Before, its failures were of a time to come as well, and did not count.)
TEST_F(Verdicts, OfFailuresAfterTheClockWasWrongQuarantineAKernel) {
  today += 400 * day;
  Process(folder).use();
  today -= 400 * day;
  EXPECT_NE(Process(folder).use(2), "");
  Process last(folder);
  EXPECT_NE(last.use().find("an earlier process found that"), std::string::npos);
  EXPECT_EQ(last.tried, 0);
}

TEST_F(Verdicts, OfTwoFailuresQuarantineAKernelForAMonth) {
  Process first(folder);
  EXPECT_NE(first.use(2).find("element (1, 2) is 3"), std::string::npos);
  EXPECT_EQ(first.tried, 2);
  EXPECT_NE(first.seeds[0], first.seeds[1]);
  const auto wrong = first.verifier.take_wrong();
  ASSERT_EQ(wrong.size(), 1u);
  EXPECT_TRUE(wrong[0].is_news);
  EXPECT_TRUE(first.verifier.take_wrong().empty());

  Process second(folder);
  EXPECT_NE(second.use().find("an earlier process found that"), std::string::npos);
  EXPECT_EQ(second.tried, 0);
  ASSERT_EQ(second.verifier.known().size(), 1u);
  EXPECT_EQ(second.verifier.known()[0].failures, 2);
  EXPECT_FALSE(second.verifier.take_wrong().at(0).is_news);

  today += 31 * day;
  Process later(folder);
  EXPECT_EQ(later.use(), "");
  EXPECT_EQ(later.tried, 1);
}

TEST_F(Verdicts, OfOneFailureAreTriedAgainByTheNextProcess) {
  Process first(folder);
  EXPECT_NE(first.use(1), "") << "this process has seen it fail";
  EXPECT_EQ(first.tried, 2);
  Process second(folder);
  EXPECT_EQ(second.use(), "");
  EXPECT_EQ(second.tried, 1);
  Process third(folder);
  third.use();
  EXPECT_EQ(third.tried, 0);
}

TEST_F(Verdicts, AreOutdatedByARejectionAndTurnedByTwo) {
  Process first(folder);
  first.use();
  first.verifier.reject(first.program(), "its result is wrong");
  Process second(folder);
  EXPECT_EQ(second.use(), "");
  EXPECT_EQ(second.tried, 1) << "it was rejected since";
  second.verifier.reject(second.program(), "its result is wrong");
  Process third(folder);
  EXPECT_NE(third.use().find("its result is wrong"), std::string::npos);
  EXPECT_EQ(third.tried, 0);
}

TEST_F(Verdicts, CountResultsThatWereRight) {
  Process process(folder);
  process.use();
  process.verifier.add_checked(process.program(), 4);
  process.verifier.add_checked(process.program(), 12);
  ASSERT_EQ(process.verifier.known().size(), 1u);
  EXPECT_EQ(process.verifier.known()[0].checked, 16u);
  Process next(folder);
  next.use();
  EXPECT_EQ(next.tried, 0);
}

TEST_F(Verdicts, ThatAreDamagedAreNone) {
  Process(folder).use();
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    std::ofstream file(entry.path(), std::ios::binary | std::ios::app);
    file << "more";
  }
  Process next(folder);
  EXPECT_TRUE(next.verifier.known().empty());
  next.use();
  EXPECT_EQ(next.tried, 1);
}

TEST_F(Verdicts, AreNotKeptWhereOthersMayWrite) {
  std::filesystem::create_directory(folder);
  ASSERT_EQ(::chmod(folder.c_str(), 0777), 0);
  Process first(folder), second(folder);
  first.use();
  EXPECT_NE(first.verifier.problem().find("is not used"), std::string::npos);
  second.use();
  EXPECT_EQ(second.tried, 1);
}

TEST_F(Verdicts, AreKeptNowhereWhereNobodySaysWhere) {
  Process first(""), second("");
  first.use();
  EXPECT_EQ(first.verifier.problem(), "");
  second.use();
  EXPECT_EQ(second.tried, 1);
}

TEST(VerdictText, IsReadAsItWasWritten) {
  const VariantVerdict verdict{"a device", "PoCL 3.1", "sgemm nn, panel", 17, 18,
                               2,          64,         "two\nlines"};
  const auto read = verdict_from(to_text(verdict));
  ASSERT_TRUE(read);
  EXPECT_EQ(read->device, "a device");
  EXPECT_EQ(read->driver, "PoCL 3.1");
  EXPECT_EQ(read->kernel, "sgemm nn, panel");
  EXPECT_EQ(read->verified_at, 17);
  EXPECT_EQ(read->failed_at, 18);
  EXPECT_EQ(read->failures, 2);
  EXPECT_EQ(read->checked, 64u);
  EXPECT_EQ(read->failure, "two lines");
  EXPECT_FALSE(verdict_from(""));
  EXPECT_FALSE(verdict_from("device x\n"));
  EXPECT_FALSE(verdict_from(std::string(100, 'x')));
}

}  // namespace
}  // namespace duoblas
