#include "cli/kernel_binary.hpp"

#include <gtest/gtest.h>

#include <elf.h>

#include <fstream>
#include <iterator>

namespace duoblas::cli {
namespace {

using Bytes = std::vector<unsigned char>;

Bytes bytes_of(const std::string& text) {
  return Bytes(text.begin(), text.end());
}

// An object of this machine: this test's own program.
Bytes own_program() {
  std::ifstream file("/proc/self/exe", std::ios::binary);
  return Bytes(std::istreambuf_iterator<char>(file), {});
}

// As PoCL stores a file: its name, the bytes of its size, its contents.
void append_file(Bytes& archive, const std::string& path, const Bytes& contents) {
  const Bytes name = bytes_of(path);
  archive.insert(archive.end(), {static_cast<unsigned char>(name.size()), 0, 0, 0});
  archive.insert(archive.end(), name.begin(), name.end());
  for (int shift = 0; shift < 32; shift += 8)
    archive.push_back(static_cast<unsigned char>(contents.size() >> shift));
  archive.insert(archive.end(), contents.begin(), contents.end());
}

TEST(KernelBinary, ThatIsTextLosesOnlyTheZeroBehindIt) {
  const std::string ptx = "//\n.version 8.0\n\tret;\r\n";
  EXPECT_EQ(as_text(bytes_of(ptx + '\0')), ptx);
  EXPECT_EQ(as_text(bytes_of(ptx)), ptx);
}

TEST(KernelBinary, IsNoTextWithAnyOtherByteOrNone) {
  EXPECT_EQ(as_text(bytes_of(std::string(".version\0 8.0", 13))), std::nullopt);
  EXPECT_EQ(as_text(bytes_of("BC\xc0\xde")), std::nullopt);
  EXPECT_EQ(as_text(bytes_of(std::string(4, '\0'))), std::nullopt);
  EXPECT_EQ(as_text(Bytes()), std::nullopt);
}

TEST(KernelBinary, GivesTheObjectsOfADriversArchiveWithTheirNames) {
  const Bytes program = own_program();
  Bytes archive = bytes_of("poclbin\x7f ELF \x7f");
  append_file(archive, "/gemm/0-0-0/gemm.so", program);
  append_file(archive, "/gemm/parallel.bc", bytes_of("BC\xc0\xde"));
  append_file(archive, "/pack_a/1-1-1-goffs0/pack_a.so", program);
  archive.push_back(0);
  const auto objects = machine_code(archive);
  ASSERT_EQ(objects.size(), 2u);
  EXPECT_EQ(objects[0].path, "/gemm/0-0-0/gemm.so");
  EXPECT_EQ(objects[0].kernel, "gemm");
  EXPECT_EQ(objects[1].kernel, "pack_a");
  EXPECT_EQ(Bytes(objects[0].bytes.begin(), objects[0].bytes.end()),
            Bytes(program.begin(), program.begin() + static_cast<long>(objects[0].bytes.size())));
}

TEST(KernelBinary, LeavesOutObjectsThatAreCutOffOrOfOtherMachines) {
  Bytes program = own_program();
  ASSERT_EQ(machine_code(program).size(), 1u);
  EXPECT_EQ(machine_code(program)[0].kernel, "");
  EXPECT_TRUE(machine_code(std::span(program).first(program.size() / 2)).empty());
  EXPECT_TRUE(machine_code(std::span(program).first(20)).empty());
  // e_machine is the number at byte 18.
  program[18] = static_cast<unsigned char>(EM_AMDGPU);
  program[19] = 0;
  EXPECT_TRUE(machine_code(program).empty());
}

TEST(KernelBinary, PrefersTheCodeForAKnownSizeOfGroup) {
  std::vector<MachineCode> objects;
  for (const char* path : {"/gemm/0-0-0/gemm.so", "/gemm/16-16-1-goffs0-smallgrid/gemm.so",
                           "/gemm/16-16-1-goffs0/gemm.so", "/pack_a/0-0-0/pack_a.so"}) {
    const std::string text = path;
    objects.push_back({text, text.substr(1, text.find('/', 1) - 1), {}});
  }
  EXPECT_EQ(code_of_kernel(objects, "gemm"), &objects[2]);
  EXPECT_EQ(code_of_kernel(objects, "pack_a"), &objects[3]);
  EXPECT_EQ(code_of_kernel(objects, "pack_b"), nullptr);
}

}  // namespace
}  // namespace duoblas::cli
