#include "plot/gnuplot.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <memory>

#include <duoblas/error.hpp>

#include "plot/printable_text.hpp"

namespace duoblas {
namespace {

// A file in memory: with pipes both sides could wait for one another.
using MemoryFile = std::unique_ptr<std::FILE, int (*)(std::FILE*)>;

MemoryFile memory_file(const std::string& text = "") {
  const int descriptor = ::memfd_create("duoblas-plot", MFD_CLOEXEC);
  MemoryFile file(descriptor < 0 ? nullptr : ::fdopen(descriptor, "w+"), std::fclose);
  if (!file || std::fwrite(text.data(), 1, text.size(), file.get()) != text.size() ||
      std::fflush(file.get()) != 0)
    throw SettingError(std::string("no memory for a picture: ") + std::strerror(errno));
  std::rewind(file.get());
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

std::string trimmed(const std::string& text) {
  const auto first = text.find_first_not_of(" \t\n");
  if (first == std::string::npos) return "it gave no reason";
  return text.substr(first, text.find_last_not_of(" \t\n") + 1 - first);
}

std::string output_of(const std::string& script) {
  const MemoryFile input = memory_file(script), output = memory_file(), messages = memory_file();
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_adddup2(&actions, ::fileno(input.get()), STDIN_FILENO);
  ::posix_spawn_file_actions_adddup2(&actions, ::fileno(output.get()), STDOUT_FILENO);
  ::posix_spawn_file_actions_adddup2(&actions, ::fileno(messages.get()), STDERR_FILENO);
  // -d: the user's own start-up files may set anything.
  char name[] = "gnuplot", no_start_up_files[] = "-d";
  char* const arguments[] = {name, no_start_up_files, nullptr};
  pid_t child = 0;
  const int error = ::posix_spawnp(&child, name, &actions, nullptr, arguments, environ);
  ::posix_spawn_file_actions_destroy(&actions);
  if (error == ENOENT || error == EACCES)
    throw SettingError(
        "a plot needs the program gnuplot, which is not here: install the package gnuplot-nox "
        "(Debian; elsewhere gnuplot), or leave --plot out");
  if (error != 0)
    throw SettingError(std::string("gnuplot does not start: ") + std::strerror(error));
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
    throw SettingError("gnuplot failed: " + trimmed(contents(messages.get())));
  return contents(output.get());
}

const char* terminal_name(PlotFormat format) {
  return format == PlotFormat::svg ? "svg" : "pngcairo";
}

}  // namespace

std::optional<PlotFormat> plot_format(std::string_view path) {
  if (path.ends_with(".svg")) return PlotFormat::svg;
  if (path.ends_with(".png")) return PlotFormat::png;
  return std::nullopt;
}

std::string gnuplot_terminal(PlotFormat format, PlotSize size) {
  // The two differ in how large a font of one number is.
  const bool svg = format == PlotFormat::svg;
  return std::string("set encoding utf8\nset terminal ") + terminal_name(format) + " size " +
         std::to_string(size.width) + "," + std::to_string(size.height) +
         " noenhanced font 'Sans," + (svg ? "15" : "11") + "' background '#ffffff'\n";
}

std::string gnuplot_quoted(std::string_view text) {
  std::string result = "\"";
  for (;;) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    for (const char c : printable(text.substr(0, end))) {
      if (c == '"' || c == '\\') result += '\\';
      // Between backquotes gnuplot runs a command, in double quotes too.
      result += c == '`' ? "\\140" : std::string(1, c);
    }
    if (end == text.size()) return result + "\"";
    result += "\\n";
    text.remove_prefix(end + 1);
  }
}

void require_gnuplot(PlotFormat format) {
  output_of(std::string("set terminal ") + terminal_name(format) + "\n");
}

std::string gnuplot_picture(const std::string& script) {
  std::string picture = output_of(script);
  if (picture.empty()) throw SettingError("gnuplot drew nothing");
  return picture;
}

void draw_with_gnuplot(const std::string& script, const std::string& path) {
  const std::string picture = gnuplot_picture(script);
  errno = 0;
  std::ofstream file(path, std::ios::binary);
  file << picture;
  file.close();
  if (!file) throw SettingError("cannot write " + path + ": " + std::strerror(errno));
}

}  // namespace duoblas
