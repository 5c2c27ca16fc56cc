// Compiled programs on disk, and programs that are compiled in another context.
#include "opencl/program_cache.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <duoblas/error.hpp>

#include <filesystem>
#include <string>
#include <vector>

#include "support/first_device.hpp"
#include "support/temporary_directory.hpp"

namespace duoblas::cl {
namespace {

using test::first_device;
using test::TemporaryDirectory;

constexpr std::string_view answering_source = R"(
__kernel void answer(__global int* out) { out[0] = ANSWER; }
)";

int answer_of(const Context& context, const Program& program) {
  Queue queue(context);
  Kernel kernel = program.kernel("answer");
  const Buffer out = context.allocate(sizeof(int), Access::read_write);
  kernel.set_argument(0, out);
  queue.wait(queue.submit(kernel, {}));
  int value = 0;
  queue.read(out, &value, {1, sizeof value, sizeof value, sizeof value, 0});
  return value;
}

std::vector<std::filesystem::path> files_in(const std::string& directory) {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(directory)) files.push_back(entry);
  return files;
}

TEST(ProgramCache, StoresOneFilePerSetOfOptionsAndLoadsIt) {
  const TemporaryDirectory directory;
  const Context context(first_device());
  for (int round = 0; round < 2; ++round) {
    ProgramCache cache(directory.path());
    EXPECT_EQ(answer_of(context, cache.build(context, answering_source, "-DANSWER=41")), 41);
    EXPECT_EQ(answer_of(context, cache.build(context, answering_source, "-DANSWER=42")), 42);
    EXPECT_EQ(cache.problem(), "");
    EXPECT_EQ(files_in(directory.path()).size(), 2u);
  }
}

TEST(ProgramCache, CompilesAnewWhatIsDamaged) {
  const TemporaryDirectory directory;
  const Context context(first_device());
  ProgramCache cache(directory.path());
  cache.build(context, answering_source, "-DANSWER=7");
  const auto file = files_in(directory.path()).at(0);
  const auto size = std::filesystem::file_size(file);
  std::filesystem::resize_file(file, size / 2);
  EXPECT_EQ(answer_of(context, cache.build(context, answering_source, "-DANSWER=7")), 7);
  EXPECT_GT(std::filesystem::file_size(file), size / 2);
}

TEST(ProgramCache, CompilesWithoutADirectoryThatCanBeUsed) {
  const TemporaryDirectory directory;
  ASSERT_EQ(::chmod(directory.path().c_str(), 0777), 0);
  const Context context(first_device());
  ProgramCache cache(directory.path());
  EXPECT_EQ(answer_of(context, cache.build(context, answering_source, "-DANSWER=8")), 8);
  EXPECT_NE(cache.problem(), "");
  EXPECT_TRUE(files_in(directory.path()).empty());
  ProgramCache none("");
  EXPECT_EQ(answer_of(context, none.build(context, answering_source, "-DANSWER=9")), 9);
}

TEST(ProgramCache, GivesTheBuildLogOfSourceThatDoesNotCompile) {
  const TemporaryDirectory directory;
  const Context context(first_device());
  ProgramCache cache(directory.path());
  try {
    cache.build(context, "__kernel void broken( {", "");
    FAIL() << "it compiled";
  } catch (const DeviceError& error) {
    const std::string text = error.what();
    EXPECT_NE(text.find("clBuildProgram failed: CL_BUILD_PROGRAM_FAILURE"), std::string::npos);
    EXPECT_NE(text.find("error:"), std::string::npos) << text;
  }
  EXPECT_TRUE(files_in(directory.path()).empty());
}

// No driver takes it.
std::vector<unsigned char> unusable(const std::vector<unsigned char>&) {
  return {0};
}

TEST(ProgramsCompiledApart, RunInTheContextThatTheyAreFor) {
  const TemporaryDirectory directory;
  const Context context(first_device());
  ProgramCache cache(directory.path());
  EXPECT_EQ(ScopedCompileApart::context_for(context.device()), nullptr);
  {
    const ScopedCompileApart apart(true);
    EXPECT_EQ(answer_of(context, cache.build(context, answering_source, "-DANSWER=43")), 43);
    const Context* const compilers = ScopedCompileApart::context_for(context.device());
    ASSERT_NE(compilers, nullptr);
    EXPECT_NE(compilers->raw(), context.raw());
    EXPECT_EQ(ScopedCompileApart::context_for(context.device()), compilers) << "made once";
  }
  EXPECT_EQ(ScopedCompileApart::context_for(context.device()), nullptr);
  EXPECT_EQ(files_in(directory.path()).size(), 1u) << "it is stored like any";
  EXPECT_EQ(answer_of(context, cache.build(context, answering_source, "-DANSWER=43")), 43);
}

TEST(ProgramsCompiledApart, FailAsTheyWouldInTheirContext) {
  const Context context(first_device());
  ProgramCache cache("");
  const ScopedCompileApart apart(true);
  const auto text_of = [&](std::string_view text, BinaryEdit edit) -> std::string {
    try {
      cache.build(context, text, "-DANSWER=1", edit);
    } catch (const DeviceError& error) {
      return error.what();
    }
    return "it compiled";
  };
  EXPECT_NE(text_of("__kernel void broken( {", nullptr).find("error:"), std::string::npos);
  EXPECT_NE(text_of(answering_source, unusable), "it compiled");
}

TEST(ProgramsCompiledApart, AreNotWhereTheDriverDoesNotNeedIt) {
  const Context context(first_device());
  const ScopedCompileApart apart(false);
  EXPECT_EQ(ScopedCompileApart::context_for(context.device()), nullptr);
}

}  // namespace
}  // namespace duoblas::cl
