#include "os/program_output.hpp"

#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <memory>

namespace duoblas {
namespace {

// With pipes both sides could wait for one another.
using MemoryFile = std::unique_ptr<std::FILE, int (*)(std::FILE*)>;

// Null, with errno, where there is no memory.
MemoryFile memory_file(std::string_view text = "") {
  const int descriptor = ::memfd_create("duoblas", MFD_CLOEXEC);
  MemoryFile file(descriptor < 0 ? nullptr : ::fdopen(descriptor, "w+"), std::fclose);
  if (file && (std::fwrite(text.data(), 1, text.size(), file.get()) != text.size() ||
               std::fflush(file.get()) != 0))
    file.reset();
  if (file) std::rewind(file.get());
  return file;
}

std::string contents(std::FILE* file) {
  std::rewind(file);
  std::string text;
  std::array<char, 4096> bytes;
  while (const std::size_t got = std::fread(bytes.data(), 1, bytes.size(), file))
    text.append(bytes.data(), got);
  return text;
}

}  // namespace

ProgramOutput program_output(const std::vector<std::string>& command, std::string_view input) {
  ProgramOutput result;
  const MemoryFile in = memory_file(input), out = memory_file(), messages = memory_file();
  if (!in || !out || !messages) {
    result.start_error = errno;
    return result;
  }
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_adddup2(&actions, ::fileno(in.get()), STDIN_FILENO);
  ::posix_spawn_file_actions_adddup2(&actions, ::fileno(out.get()), STDOUT_FILENO);
  ::posix_spawn_file_actions_adddup2(&actions, ::fileno(messages.get()), STDERR_FILENO);
  std::vector<char*> arguments;
  for (const std::string& word : command) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  pid_t child = 0;
  result.start_error =
      ::posix_spawnp(&child, arguments[0], &actions, nullptr, arguments.data(), environ);
  ::posix_spawn_file_actions_destroy(&actions);
  if (result.start_error != 0) return result;
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  result.succeeded = WIFEXITED(status) && WEXITSTATUS(status) == 0;
  result.text = contents(out.get());
  result.messages = contents(messages.get());
  return result;
}

}  // namespace duoblas
