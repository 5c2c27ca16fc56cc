// Checked access to the fields of a JSON object: errors name the field.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

namespace duoblas::cli {

/// An object of a file, with its place in the file. Reading functions throw Error with that place
/// if a field is missing or of another kind.
class JsonFields {
 public:
  /// `place`: "results[3]"; empty for the whole document.
  JsonFields(const nlohmann::json& object, std::string place);

  bool has(const char* name) const;
  std::string text(const char* name) const;
  /// Finite, and `least` at least.
  double number(const char* name, double least = 0) const;
  /// The same; `otherwise` where there is none, or null.
  double number_or(const char* name, double otherwise) const;
  std::int64_t integer(const char* name, std::int64_t least = 0) const;
  /// The same, and few enough to be counted by an int.
  int count(const char* name, int least = 0) const;
  bool flag(const char* name) const;
  std::vector<double> numbers(const char* name) const;
  /// An object.
  JsonFields object(const char* name) const;
  /// The objects of an array.
  std::vector<JsonFields> objects(const char* name) const;
  /// The array's elements, each [number, number], of 0 or above.
  std::vector<std::pair<double, double>> pairs(const char* name) const;

  [[noreturn]] void refuse(const char* name, const std::string& why) const;

 private:
  const nlohmann::json& at(const char* name) const;
  const nlohmann::json& array(const char* name) const;

  const nlohmann::json& object_;
  std::string place_;
};

}  // namespace duoblas::cli
