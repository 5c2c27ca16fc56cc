#include "cli/selftest/personal_data.hpp"

#include <array>
#include <cctype>
#include <nlohmann/json.hpp>
#include <regex>

#include "os/process.hpp"
#include "os/user_names.hpp"

namespace duoblas::cli::selftest {
namespace {

bool is_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '-';
}

// Whole words only: "amd" is not in "amdgpu".
std::string replaced(std::string text, const std::string& word, const std::string& by,
                     bool in_paths_only) {
  if (word.empty()) return text;
  for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at)) {
    const std::size_t end = at + word.size();
    const bool whole =
        (at == 0 || !is_word(text[at - 1])) && (end == text.size() || !is_word(text[end]));
    const bool in_path = at > 0 && text[at - 1] == '/';
    if (whole && (in_path || !in_paths_only)) {
      text.replace(at, word.size(), by);
      at += by.size();
    } else {
      at = end;
    }
  }
  return text;
}

}  // namespace

Owner this_owner() {
  const UserEntry user = this_user();
  Owner owner;
  owner.user = user.name;
  owner.home = user.home;
  owner.host = host_name();
  return owner;
}

std::string without_personal_data(const std::string& text, const Owner& owner) {
  // A home of "/" is no secret.
  std::string clean = owner.home.size() > 1 ? replaced(text, owner.home, "~", false) : text;
  static const std::regex homes("/(home|Users|run/user|run/media|media)/[^/\\s\"':;,]+");
  clean = std::regex_replace(clean, homes, "~");
  clean = replaced(clean, owner.user, "USER", true);
  const bool is_name = owner.host != "localhost";
  return is_name ? replaced(clean, owner.host, "HOST", false) : clean;
}

void remove_personal_data(nlohmann::json& document, const Owner& owner) {
  if (document.is_string()) {
    document = without_personal_data(document.get<std::string>(), owner);
  } else if (document.is_structured()) {
    for (auto& each : document) remove_personal_data(each, owner);
  }
}

}  // namespace duoblas::cli::selftest
