#include "bench/named_options.hpp"

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

}  // namespace duoblas
