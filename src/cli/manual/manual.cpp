// duoblas man and duoblas completion: what describes the command, made from the command itself.
#include <CLI/CLI.hpp>
#include <filesystem>
#include <iostream>
#include <memory>
#include <string>
#include <system_error>

#include <duoblas/duoblas.h>

#include "cli/arguments.hpp"
#include "cli/json_file.hpp"
#include "cli/manual/command_tree.hpp"
#include "cli/subcommands.hpp"

namespace duoblas::cli {
namespace {

constexpr const char* kManFooter =
    "Examples:\n"
    "  duoblas man tune | man -l -        the page of duoblas tune\n"
    "  duoblas man --folder share/man/man1   all of them, for packages";

constexpr const char* kCompletionFooter =
    "Examples:\n"
    "  source <(duoblas completion bash)                    for this shell\n"
    "  duoblas completion zsh > ~/.zfunc/_duoblas           into a folder of $fpath\n"
    "\n"
    "cmake --install puts both where the shells look. fish reads the man pages.";

int write_pages(const CommandEntry& root, const std::filesystem::path& folder) {
  std::error_code problem;
  std::filesystem::create_directories(folder, problem);
  if (problem) throw Error("cannot make the folder " + folder.string() + ": " + problem.message());
  const auto write = [&](const CommandEntry& command) {
    write_text((folder / (man_page_name(command) + ".1")).string(),
               man_page(command, root, duoblas_version()));
  };
  write(root);
  for (const CommandEntry& sub : root.subcommands) write(sub);
  return done;
}

int print_page(const CommandEntry& root, const std::string& name) {
  if (name.empty()) {
    std::cout << man_page(root, root, duoblas_version());
    return done;
  }
  for (const CommandEntry& sub : root.subcommands) {
    if (sub.last_name() != name) continue;
    std::cout << man_page(sub, root, duoblas_version());
    return done;
  }
  throw UsageError("man: there is no subcommand " + name + " (duoblas --help lists them)");
}

}  // namespace

void add_man(CLI::App& app, int& code) {
  struct Options {
    std::string name, folder;
  };
  auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand("man", "Print a man page of this command");
  auto* name = add_value(*command, "subcommand", options->name, "SUBCOMMAND",
                         "Whose page; duoblas's unless given");
  add_value(*command, "--folder", options->folder, "FOLDER", "Write all pages into this folder")
      ->excludes(name);
  command->footer(kManFooter);
  command->callback([&app, options, &code] {
    const CommandEntry root = command_tree(app);
    code = options->folder.empty() ? print_page(root, options->name)
                                   : write_pages(root, options->folder);
  });
}

void add_completion(CLI::App& app, int& code) {
  auto shell = std::make_shared<std::string>();
  CLI::App* command =
      app.add_subcommand("completion", "Print what a shell needs to complete this command");
  add_value(*command, "shell", *shell, "SHELL", "Which shell")
      ->required()
      ->check(CLI::IsMember({"bash", "zsh"}));
  command->footer(kCompletionFooter);
  command->callback([&app, shell, &code] {
    const CommandEntry root = command_tree(app);
    if (*shell == "bash") std::cout << bash_completion(root);
    if (*shell == "zsh") std::cout << zsh_completion(root);
    code = done;
  });
}

}  // namespace duoblas::cli
