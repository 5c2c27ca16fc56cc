#include "cli/dropin_library.hpp"

#include <filesystem>
#include <system_error>

#include <duoblas/error.hpp>

namespace duoblas::cli {
namespace {

namespace fs = std::filesystem;

// As installed (lib64 and the like), and as built.
constexpr const char* folders[] = {DUOBLAS_LIBRARIES_FROM_COMMAND, "../lib"};

void require_preloadable(const std::string& path) {
  if (path.find_first_of(" \t\n:") == std::string::npos) return;
  throw Error("LD_PRELOAD cannot hold blanks and colons, and this path has one: " + path +
              "; install DuoBLAS elsewhere");
}

}  // namespace

std::string dropin_library() {
  std::error_code failed;
  const fs::path command = fs::read_symlink("/proc/self/exe", failed);
  if (failed) throw Error("cannot find this command's own file: " + failed.message());
  std::string tried;
  for (const char* folder : folders) {
    const fs::path path = (command.parent_path() / folder / DUOBLAS_DROPIN_FILE).lexically_normal();
    if (fs::exists(path, failed)) {
      require_preloadable(path.string());
      return path.string();
    }
    if (tried.find(path.string()) == std::string::npos)
      tried += (tried.empty() ? "" : ", ") + path.string();
  }
  throw Error(
      "the drop-in BLAS is missing (" + tried +
      "): build the target duoblas_blas, or install the whole of DuoBLAS (cmake --install)");
}

}  // namespace duoblas::cli
