#include "bench/named_options.hpp"

#include <sstream>

#include <duoblas/error.hpp>

namespace duoblas {

std::string NamedOptions::parse(int argc, char** argv) {
  std::string other;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    const auto option = texts_.find(word);
    if (option != texts_.end() && i + 1 < argc)
      option->second = argv[++i];
    else if (option == texts_.end() && other.empty() && !word.starts_with('-'))
      other = word;
    else
      throw SettingError(word + ": unknown, or without a value; try --help");
  }
  return other;
}

std::vector<std::string> list_items(const std::string& list) {
  std::vector<std::string> found;
  std::istringstream text(list);
  for (std::string item; std::getline(text, item, ',');) found.push_back(item);
  return found;
}

}  // namespace duoblas
