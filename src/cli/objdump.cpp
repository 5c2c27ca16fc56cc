#include "cli/objdump.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <ostream>
#include <sstream>
#include <string>
#include <system_error>

#include <duoblas/error.hpp>

namespace duoblas::cli {
namespace {

class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string pattern = (std::filesystem::temp_directory_path() / "duoblas-XXXXXX").string();
    if (::mkdtemp(pattern.data()) == nullptr)
      throw Error("cannot make a folder like " + pattern + ": " + std::strerror(errno) +
                  "; set TMPDIR");
    path_ = pattern;
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

std::string output_of_objdump(const std::filesystem::path& file) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) throw Error(std::string("no pipe: ") + std::strerror(errno));
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  ::posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  std::array<std::string, 4> words = {"objdump", "--disassemble", "--no-show-raw-insn",
                                      file.string()};
  std::array<char*, 5> arguments = {words[0].data(), words[1].data(), words[2].data(),
                                    words[3].data(), nullptr};
  pid_t child = 0;
  const int error =
      ::posix_spawnp(&child, arguments[0], &actions, nullptr, arguments.data(), environ);
  ::posix_spawn_file_actions_destroy(&actions);
  ::close(ends[1]);
  std::string text;
  std::array<char, 4096> bytes;
  while (error == 0) {
    const ssize_t got = ::read(ends[0], bytes.data(), bytes.size());
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    text.append(bytes.data(), static_cast<std::size_t>(got));
  }
  ::close(ends[0]);
  if (error != 0)
    throw Error(std::string("the kernel is machine code, and objdump, which reads it, cannot be "
                            "started (") +
                std::strerror(error) +
                "): install binutils, or write the binary to a file with --output FILE");
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
    throw Error(
        "objdump cannot read the kernel's machine code: write the binary to a file with "
        "--output FILE");
  return text;
}

// PoCL compiles a kernel three times: by itself, and inside two loops over the work-items of a
// group. It calls the one named "_workgroup".
bool is_unused_copy(const std::string& function, const MachineCode& object) {
  const std::string name = "_pocl_kernel_" + object.kernel;
  return function == name || function == name + "_workgroup_fast";
}

}  // namespace

void disassemble(const MachineCode& object, std::ostream& out) {
  const TemporaryFolder folder;
  const auto path = folder.path() / "kernel.so";
  std::ofstream file(path, std::ios::binary);
  file.write(reinterpret_cast<const char*>(object.bytes.data()),
             static_cast<std::streamsize>(object.bytes.size()));
  file.close();
  if (!file)
    throw Error("cannot write " + path.string() + ": " + std::strerror(errno) + "; set TMPDIR");

  const std::string text = output_of_objdump(path);
  std::istringstream lines(text);
  bool skips = true;  // the heading names the temporary file
  for (std::string line; std::getline(lines, line);) {
    const auto name = line.find(" <");
    if (line.starts_with("Disassembly of section")) skips = false;
    if (line.ends_with(">:") && name != std::string::npos)
      skips = is_unused_copy(line.substr(name + 2, line.size() - name - 4), object);
    if (!skips) out << line << '\n';
  }
}

}  // namespace duoblas::cli
