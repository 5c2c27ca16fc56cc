// Numbers for many keys in one bounded file.
#include "engine/history_file.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <thread>

#include "support/temporary_directory.hpp"

namespace duoblas {
namespace {

using Numbers = HistoryFile::Numbers;

class AHistoryFile : public testing::Test {
 protected:
  std::string path() const {
    for (const auto& entry : std::filesystem::directory_iterator(folder))
      if (entry.path().extension() != ".lock") return entry.path().string();
    return {};
  }
  std::string bytes() const {
    std::ifstream stream(path(), std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), {}};
  }

  const test::TemporaryDirectory directory;
  const std::string folder = directory / "programs";
};

TEST_F(AHistoryFile, HasWhatWasStoredLast) {
  const HistoryFile file(folder);
  EXPECT_TRUE(file.find("a").empty());
  file.store({{"a", {1, 0.1}}, {"b", {2, 1e-300}}});
  EXPECT_EQ(file.find("a"), (Numbers{1, 0.1}));
  EXPECT_EQ(file.find("b"), (Numbers{2, 1e-300}));
  file.store({{"a", {3, 4}}});
  EXPECT_EQ(HistoryFile(folder).find("a"), (Numbers{3, 4}));
  EXPECT_EQ(HistoryFile(folder).find("b"), (Numbers{2, 1e-300}));
}

TEST_F(AHistoryFile, KeepsWhatOtherProcessesStoredMeanwhile) {
  const HistoryFile one(folder), other(folder);
  one.store({{"a", {1}}});
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i)
    threads.emplace_back([&, i] { other.store({{std::to_string(i), {static_cast<double>(i)}}}); });
  for (std::thread& thread : threads) thread.join();
  EXPECT_FALSE(one.find("a").empty());
}

TEST_F(AHistoryFile, LosesTheOldestRecordsFirst) {
  const HistoryFile file(folder, "name", 1000);
  for (int i = 0; i < 100; ++i) file.store({{std::to_string(i), {1}}, {"again", {2}}});
  EXPECT_FALSE(file.find("again").empty());
  EXPECT_FALSE(file.find("99").empty());
  EXPECT_TRUE(file.find("1").empty());
}

TEST_F(AHistoryFile, IsAMegabyteAtMost) {
  std::vector<std::pair<std::string, Numbers>> records;
  for (int i = 0; i < 20000; ++i)
    records.push_back({std::to_string(i), {0.1 + i, 1e-17 * i / 3, 1.0 / (i + 1)}});
  HistoryFile(folder).store(records);
  EXPECT_LT(std::filesystem::file_size(path()), 1u << 20);
  EXPECT_TRUE(HistoryFile(folder).find("0").empty());
  EXPECT_FALSE(HistoryFile(folder).find("19999").empty());
}

TEST_F(AHistoryFile, TellsNobodyItsKeys) {
  HistoryFile(folder).store({{"secret.py", {1}}});
  const std::string here = bytes();
  EXPECT_EQ(here.find("secret"), std::string::npos);
  std::filesystem::remove_all(folder);
  HistoryFile(folder).store({{"secret.py", {1}}});
  EXPECT_NE(bytes(), here) << "another salt";
}

TEST_F(AHistoryFile, ThatIsDamagedIsNone) {
  const HistoryFile file(folder);
  file.store({{"a", {1}}});
  const std::string whole = bytes(), name = path();
  for (const std::size_t length :
       {std::size_t{0}, std::size_t{1}, whole.size() / 2, whole.size() - 1}) {
    std::ofstream(name, std::ios::binary) << whole.substr(0, length);
    EXPECT_TRUE(file.find("a").empty()) << length;
  }
  file.store({{"a", {2}}});
  EXPECT_EQ(file.find("a"), Numbers{2});
}

TEST_F(AHistoryFile, WithANumberBelowZeroIsNone) {
  const HistoryFile file(folder);
  file.store({{"negative", {1, -1}}});
  EXPECT_TRUE(file.find("negative").empty());
}

TEST_F(AHistoryFile, WithoutAFolderKeepsNothing) {
  const HistoryFile nowhere(""), impossible("/proc/nowhere");
  for (const HistoryFile& file : {nowhere, impossible}) {
    file.store({{"a", {1}}});
    EXPECT_TRUE(file.find("a").empty());
  }
}

}  // namespace
}  // namespace duoblas
