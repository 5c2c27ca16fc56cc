// The quota of a control group, from made-up files of both versions.
#include "cpu/cpu_limits.hpp"

#include <gtest/gtest.h>

#include <fstream>

#include "support/temporary_directory.hpp"

namespace duoblas {
namespace {

namespace fs = std::filesystem;

// A machine's files below a directory of the test.
class CgroupQuota : public ::testing::Test {
 protected:
  void write(const std::string& file, const std::string& text) {
    const fs::path path = fs::path(root_.path()) / file;
    fs::create_directories(path.parent_path());
    std::ofstream(path) << text;
  }
  std::optional<int> quota() const { return cgroup_cpu_quota(root_.path()); }

 private:
  test::TemporaryDirectory root_;
};

TEST_F(CgroupQuota, IsNothingWithoutFiles) {
  EXPECT_EQ(quota(), std::nullopt);
}

TEST_F(CgroupQuota, OfVersion2IsRoundedUp) {
  write("proc/self/cgroup", "0::/user.slice/job\n");
  write("sys/fs/cgroup/user.slice/job/cpu.max", "150000 100000\n");
  EXPECT_EQ(quota(), 2);
}

TEST_F(CgroupQuota, OfVersion2MayBeUnlimited) {
  write("proc/self/cgroup", "0::/job\n");
  write("sys/fs/cgroup/job/cpu.max", "max 100000\n");
  EXPECT_EQ(quota(), std::nullopt);
}

TEST_F(CgroupQuota, OfAnAncestorHoldsToo) {
  write("proc/self/cgroup", "0::/a/b/c\n");
  write("sys/fs/cgroup/a/cpu.max", "300000 100000\n");
  write("sys/fs/cgroup/a/b/cpu.max", "max 100000\n");
  write("sys/fs/cgroup/a/b/c/cpu.max", "800000 100000\n");
  EXPECT_EQ(quota(), 3);
}

TEST_F(CgroupQuota, IsFoundWhereAContainerSeesItsOwnGroupAsTheRoot) {
  write("proc/self/cgroup", "0::/system.slice/docker-1.scope\n");
  write("sys/fs/cgroup/cpu.max", "50000 100000\n");
  EXPECT_EQ(quota(), 1);
}

TEST_F(CgroupQuota, OfVersion1IsReadFromTheCpuController) {
  write("proc/self/cgroup", "3:cpuset:/\n2:cpu,cpuacct:/job\n1:name=systemd:/x\n");
  write("sys/fs/cgroup/cpu,cpuacct/job/cpu.cfs_quota_us", "400000\n");
  write("sys/fs/cgroup/cpu,cpuacct/job/cpu.cfs_period_us", "100000\n");
  EXPECT_EQ(quota(), 4);
}

TEST_F(CgroupQuota, OfVersion1MayBeMountedAsCpuAlone) {
  write("proc/self/cgroup", "2:cpu,cpuacct:/job\n");
  write("sys/fs/cgroup/cpu/cpu.cfs_quota_us", "250000\n");
  write("sys/fs/cgroup/cpu/cpu.cfs_period_us", "100000\n");
  EXPECT_EQ(quota(), 3);
}

TEST_F(CgroupQuota, OfMinusOneIsNone) {
  write("proc/self/cgroup", "1:cpu:/\n");
  write("sys/fs/cgroup/cpu/cpu.cfs_quota_us", "-1\n");
  write("sys/fs/cgroup/cpu/cpu.cfs_period_us", "100000\n");
  EXPECT_EQ(quota(), std::nullopt);
}

TEST_F(CgroupQuota, IsTheSmallerWhereBothVersionsAreMounted) {
  write("proc/self/cgroup", "1:cpu:/\n0::/\n");
  write("sys/fs/cgroup/cpu/cpu.cfs_quota_us", "600000\n");
  write("sys/fs/cgroup/cpu/cpu.cfs_period_us", "100000\n");
  write("sys/fs/cgroup/unified/cpu.max", "500000 100000\n");
  EXPECT_EQ(quota(), 5);
}

TEST_F(CgroupQuota, IsNothingWhereTheFilesAreDamaged) {
  write("proc/self/cgroup", "nonsense\n::\n0::/job\n1:cpu:\n");
  write("sys/fs/cgroup/job/cpu.max", "often\n");
  write("sys/fs/cgroup/cpu/cpu.cfs_quota_us", "100000\n");
  write("sys/fs/cgroup/cpu/cpu.cfs_period_us", "0\n");
  EXPECT_EQ(quota(), std::nullopt);
}

}  // namespace
}  // namespace duoblas
