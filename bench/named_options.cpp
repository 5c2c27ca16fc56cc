#include "bench/named_options.hpp"

#include <iostream>
#include <sstream>
#include <string_view>

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

int benchmark_main(const std::string& program, const char* usage, NamedOptions options, int argc,
                   char** argv, const std::function<int(const NamedOptions&)>& run) {
  if (argc == 2 && std::string_view(argv[1]) == "--help") {
    std::cout << usage;
    return 0;
  }
  try {
    if (const std::string other = options.parse(argc, argv); !other.empty())
      throw SettingError(other + ": unknown; try --help");
    return run(options);
  } catch (const SettingError& error) {
    std::cerr << program << ": " << error.what() << '\n';
    return 2;
  } catch (const std::exception& error) {
    std::cerr << program << ": " << error.what() << '\n';
    return 1;
  }
}

std::vector<std::string> list_items(const std::string& list) {
  std::vector<std::string> found;
  std::istringstream text(list);
  for (std::string item; std::getline(text, item, ',');) found.push_back(item);
  return found;
}

}  // namespace duoblas
