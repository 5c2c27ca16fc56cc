#include "bench/named_options.hpp"

#include <charconv>
#include <iostream>
#include <sstream>
#include <string_view>

#include <duoblas/error.hpp>

namespace duoblas {

void NamedOptions::parse(int argc, char** argv) {
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    const auto option = texts_.find(word);
    if (option != texts_.end() && i + 1 < argc)
      option->second = argv[++i];
    else if (!wanted_word_.empty() && word_.empty() && !word.starts_with('-'))
      word_ = word;
    else
      throw SettingError(word + ": unknown, or without a value; try --help");
  }
  if (word_.empty() && !wanted_word_.empty())
    throw SettingError("which " + wanted_word_ + "? try --help");
}

int positive(const NamedOptions& options, const std::string& name) {
  const std::string& text = options[name];
  int value = 0;
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), value);
  if (parsed.ec != std::errc() || parsed.ptr != text.data() + text.size() || value < 1)
    throw SettingError(name + " takes a positive number, not \"" + text + "\"");
  return value;
}

int benchmark_main(const std::string& program, const char* usage, NamedOptions options, int argc,
                   char** argv, const std::function<int(const NamedOptions&)>& run) {
  if (argc == 2 && std::string_view(argv[1]) == "--help") {
    std::cout << usage;
    return 0;
  }
  try {
    options.parse(argc, argv);
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

Precision precision_named(const std::string& wanted) {
  for (const Precision precision : all_precisions)
    if (wanted == std::string(1, letter(precision))) return precision;
  throw SettingError("--precision is of s, d, c and z, not \"" + wanted + "\"");
}

Routine routine_named(const std::string& wanted) {
  for (std::size_t i = 0; i < routine_count; ++i)
    if (wanted == name(static_cast<Routine>(i))) return static_cast<Routine>(i);
  throw SettingError("there is no routine " + wanted);
}

}  // namespace duoblas
