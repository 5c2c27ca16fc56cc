// The library's files on disk: private, whole, found by their key alone.
#include "opencl/cache_file.hpp"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "support/temporary_directory.hpp"

namespace duoblas::cl {
namespace {

using test::TemporaryDirectory;
using Bytes = std::vector<unsigned char>;

mode_t mode_of(const std::string& path) {
  struct stat status {};
  return ::stat(path.c_str(), &status) == 0 ? status.st_mode & 0777 : 0;
}

TEST(CacheDirectory, IsMadeForThisUserAlone) {
  const TemporaryDirectory base;
  std::string problem;
  const CacheDirectory cache(base / "a/b/cache", problem);
  ASSERT_TRUE(cache.usable()) << problem;
  EXPECT_EQ(mode_of(base / "a/b/cache"), 0700u);
  EXPECT_EQ(mode_of(base / "a"), 0700u);
}

TEST(CacheDirectory, GivesBackWhatWasStoredUnderTheSameKeyOnly) {
  const TemporaryDirectory base;
  std::string problem;
  const CacheDirectory cache(base.path(), problem);
  EXPECT_EQ(cache.store("one", {1, 2, 3}), "");
  EXPECT_EQ(cache.load("one"), (Bytes{1, 2, 3}));
  EXPECT_TRUE(cache.load("two").empty());
  EXPECT_EQ(cache.store("one", {4}), "");
  EXPECT_EQ(cache.load("one"), Bytes{4});
  EXPECT_EQ(mode_of(base.path() + "/" + cache_file_name("one")), 0600u);
}

// The system's signal for that ends a program.
TEST(CacheDirectory, StoresNothingBeyondTheLimitOfTheProgramsFiles) {
  const TemporaryDirectory base;
  const auto store = [&] {
    const rlimit little{64, 64};
    ::setrlimit(RLIMIT_FSIZE, &little);
    std::string problem;
    const std::string why = CacheDirectory(base.path(), problem).store("one", Bytes(1000));
    sigset_t pending;
    ::sigpending(&pending);
    ::_exit(why.empty() || ::sigismember(&pending, SIGXFSZ) != 0 ? 1 : 0);
  };
  EXPECT_EXIT(store(), testing::ExitedWithCode(0), "");
  EXPECT_TRUE(std::filesystem::is_empty(base.path()));
}

TEST(CacheDirectory, IsNotUsedWhereOthersMayWrite) {
  const TemporaryDirectory base;
  ASSERT_EQ(::chmod(base.path().c_str(), 0777), 0);
  std::string problem;
  const CacheDirectory cache(base.path(), problem);
  EXPECT_FALSE(cache.usable());
  EXPECT_NE(problem.find("writable by no one else"), std::string::npos) << problem;
}

TEST(CacheDirectory, SaysWhyItCannotBeOpened) {
  const TemporaryDirectory base;
  std::ofstream(base / "file") << "in the way";
  std::string problem;
  const CacheDirectory cache(base / "file/cache", problem);
  EXPECT_FALSE(cache.usable());
  EXPECT_NE(problem.find("cannot be used"), std::string::npos) << problem;
}

TEST(CacheFile, IsNotReadIntoMemoryWhereItSaysThatItIsHuge) {
  const TemporaryDirectory base;
  std::string problem;
  const CacheDirectory cache(base.path(), problem);
  ASSERT_EQ(cache.store("key", {10, 20, 30, 40}), "");
  // The file, without a block of it on disk, and the length in its header: magic, key, content.
  const std::string file = base.path() + "/" + cache_file_name("key");
  constexpr std::uint64_t huge = std::uint64_t{1} << 40;
  std::fstream header(file, std::ios::binary | std::ios::in | std::ios::out);
  header.seekp(16);
  header.write(reinterpret_cast<const char*>(&huge), sizeof huge);
  header.close();
  const auto length = static_cast<off_t>(huge) + 32 + 3;
  ASSERT_EQ(::truncate(file.c_str(), length), 0);
  EXPECT_NO_THROW(EXPECT_TRUE(cache.load("key").empty()));
}

TEST(CacheFile, IsNotTrustedWhenAnyByteIsDamaged) {
  const TemporaryDirectory base;
  std::string problem;
  const CacheDirectory cache(base.path(), problem);
  ASSERT_EQ(cache.store("key", {10, 20, 30, 40}), "");
  const std::string file = base.path() + "/" + cache_file_name("key");
  std::ifstream in(file, std::ios::binary);
  const std::string intact((std::istreambuf_iterator<char>(in)), {});
  for (std::size_t at = 0; at < intact.size(); ++at) {
    std::string damaged = intact;
    damaged[at] = static_cast<char>(damaged[at] ^ 0x40);
    std::ofstream(file, std::ios::binary) << damaged;
    EXPECT_TRUE(cache.load("key").empty()) << "byte " << at;
  }
  std::ofstream(file, std::ios::binary) << intact.substr(0, intact.size() - 1);
  EXPECT_TRUE(cache.load("key").empty()) << "truncated";
  std::ofstream(file, std::ios::binary) << intact << "x";
  EXPECT_TRUE(cache.load("key").empty()) << "longer";
  std::ofstream(file, std::ios::binary) << intact;
  EXPECT_FALSE(cache.load("key").empty());
}

TEST(CacheFile, OfACollidingKeyIsNotTaken) {
  const TemporaryDirectory base;
  std::string problem;
  const CacheDirectory cache(base.path(), problem);
  ASSERT_EQ(cache.store("one", {1}), "");
  ASSERT_EQ(::rename((base.path() + "/" + cache_file_name("one")).c_str(),
                     (base.path() + "/" + cache_file_name("two")).c_str()),
            0);
  EXPECT_TRUE(cache.load("two").empty());
}

TEST(CacheFile, OthersMayWriteIsNotTrusted) {
  const TemporaryDirectory base;
  std::string problem;
  const CacheDirectory cache(base.path(), problem);
  ASSERT_EQ(cache.store("key", {1}), "");
  ASSERT_EQ(::chmod((base.path() + "/" + cache_file_name("key")).c_str(), 0666), 0);
  EXPECT_TRUE(cache.load("key").empty());
}

}  // namespace
}  // namespace duoblas::cl
