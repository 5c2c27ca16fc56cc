// What doctor says of a program: how it is linked, and which BLAS it would call.
#include <algorithm>
#include <cstring>
#include <fstream>
#include <iterator>
#include <optional>
#include <sstream>

#include "cli/doctor/trouble.hpp"
#include "cli/needed_libraries.hpp"
#include "os/file_status.hpp"
#include "os/native_elf.hpp"
#include "os/other_programs.hpp"

namespace duoblas::cli {
namespace {

constexpr const char* link_it =
    "build it against a shared BLAS, or against the drop-in (docs/drop-in.md)";

std::string content_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::string first_line_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::string line(256, '\0');  // as much as the kernel reads
  file.read(line.data(), static_cast<std::streamsize>(line.size()));
  line.resize(static_cast<std::size_t>(file.gcount()));
  return line.substr(0, line.find('\n'));
}

// What a script's first line names, as env finds it; nothing: it is no script.
std::optional<std::string> interpreter_of(const std::string& path) {
  const std::string line = first_line_of(path);
  if (!line.starts_with("#!")) return std::nullopt;
  std::istringstream words(line.substr(2));
  std::string word;
  words >> word;
  if (!word.ends_with("/env")) return word;
  while (words >> word && (word.starts_with("-") || word.find('=') != std::string::npos)) {
  }
  return word;
}

bool is_a_blas(const std::string& library) {
  const std::string file = library.substr(library.rfind('/') + 1);
  return std::ranges::any_of(
      std::initializer_list<const char*>{"blas", "mkl_rt", "blis", "atlas"},
      [&](const char* part) { return file.find(part) != std::string::npos; });
}

bool has(const std::string& content, std::string_view text) {
  return ::memmem(content.data(), content.size(), text.data(), text.size()) != nullptr;
}

// The compilers leave these in every program.
std::string language_without_blas(const std::string& content) {
  using std::string_view_literals::operator""sv;
  if (has(content, "\xff Go buildinf:"sv)) return "Go";
  return has(content, "/rustc/"sv) ? "Rust" : "";
}

// Variables that only these libraries ask for. OpenBLAS for one core type knows no other types.
std::string blas_inside(const std::string& content) {
  if (has(content, "OPENBLAS_CORETYPE") || has(content, "OPENBLAS_BLOCK_FACTOR")) return "OpenBLAS";
  return has(content, "MKL_DYNAMIC") ? "MKL" : "";
}

std::vector<Trouble> unreached(const std::string& what, const std::string& mend) {
  return {{Weight::no_gpu, what, mend}};
}

// The loader runs libraries that a program's dynamic section names so, even where it only lists.
// The tag is looked for everywhere, since a file may say otherwise where that section lies.
bool may_name_auditors(const std::string& content) {
  return std::ranges::any_of(std::initializer_list<ElfTag>{DT_AUDIT, DT_DEPAUDIT}, [&](ElfTag tag) {
    return has(content, {reinterpret_cast<const char*>(&tag), sizeof tag});
  });
}

// What the compiler or a library left in it. No code that the program names is run.
std::vector<Trouble> unreached_by(const std::string& path, const std::string& content,
                                  const std::string& named_loader) {
  if (const std::string blas = blas_inside(content); !blas.empty())
    return unreached(path + " has " + blas + " inside: its calls do not pass the loader", link_it);
  const std::string language = language_without_blas(content);
  if (language.empty()) return {};
  const auto loader = system_loader(named_loader);
  if (!loader || may_name_auditors(content))
    return {
        {Weight::tells,
         path + " names a loader of its own, or code for the loader to run: its libraries "
                "were not looked at",
         "duoblas run --summary -- " + path + "    # tells at its end what became of products"}};
  if (std::ranges::any_of(listed_libraries(*loader, path), is_a_blas)) return {};
  return unreached(path + " is a program of " + language +
                       " without a BLAS among its libraries: it multiplies by itself",
                   language == "Go" ? "build it with gonum's netlib bindings and cgo"
                                    : "build it with the crates blas-src and a shared BLAS");
}

}  // namespace

std::vector<Trouble> unreached_program(const std::string& program, const char* search_path,
                                       bool looks_inside) {
  std::string path = found_program(program, search_path);
  constexpr int most_scripts = 4;  // as the kernel
  for (int i = 0; i < most_scripts; ++i)
    if (const auto interpreter = interpreter_of(path))
      path = found_program(*interpreter, search_path);
  if (!may(FileRight::execute, path))
    return {
        {Weight::breaks, path + " is not there, or cannot be executed",
         "duoblas doctor -- PROGRAM    # with the name or path of a program that you can start"}};
  if (const std::string privilege = rights_given_by(path); !privilege.empty())
    return unreached(path + " is " + privilege + ": it is started without preloaded libraries",
                     "run a copy that is not (cp " + path + " .)");
  const auto loader = loader_of(path);
  const bool is_program = first_line_of(path).starts_with(ELFMAG);
  if (!loader && !is_program) return unreached(path + " is no program of Linux", link_it);
  if (!loader)
    return unreached(path +
                         " is static, as programs of Go are, or of another kind of machine: it "
                         "loads no library",
                     link_it);
  if (loader->find("musl") != std::string::npos)
    return unreached(path + " uses musl, and DuoBLAS needs glibc", "a build of it for glibc");
  if (!looks_inside) return {};
  return unreached_by(path, content_of(path), *loader);
}

}  // namespace duoblas::cli
