// The members of a JSON object, written and read by one description: describe() names the members
// of a struct once, and does either.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "tuner/energy_record.hpp"

namespace duoblas::cli {

/// An object of a file. Writing makes its members, of those `_if_any` only what is not empty or 0.
/// Reading changes the values: it \throws Error with the member's place in the file if one is
/// missing, of another kind or impossible. Texts become printable: files come from anywhere.
class RecordFields {
 public:
  /// `place`: "results[3]"; empty for the whole document.
  RecordFields(nlohmann::json& object, bool reads, std::string place = "");

  bool has(const char* name) const;
  void text(const char* name, std::string& value);
  void text_if_any(const char* name, std::string& value);
  /// Finite, and not below 0.
  void number(const char* name, double& value);
  /// In units of `unit` in the file.
  void number_if_any(const char* name, double& value, double unit = 1);
  void number_if_any(const char* name, std::optional<double>& value);
  /// JSON has no infinity: that is null.
  void number_or_infinity(const char* name, double& value);
  void integer(const char* name, std::int64_t& value, std::int64_t least = 0);
  void count(const char* name, int& value, int least = 0);
  void flag(const char* name, bool& value);
  /// Files of before may lack these.
  void flag_if_there(const char* name, bool& value) {
    if (!reads_ || has(name)) flag(name, value);
  }
  void numbers_if_there(const char* name, std::vector<double>& values);
  /// Pairs of numbers.
  void watts(const char* name, std::vector<WattsAt>& values);
  /// Written only: it follows from other members.
  void derived(const char* name, double value) { is_written(name, value); }
  /// Reading refuses what is not right with these words.
  void require(bool is_right, const char* name, const char* otherwise) const {
    if (reads_ && !is_right) refuse(name, otherwise);
  }

  template <typename Value>
  void objects(const char* name, std::vector<Value>& values) {
    if (!is_written(name, nlohmann::json(values.size(), nlohmann::json::object())))
      values.resize(array(name).size());
    for (std::size_t i = 0; i < values.size(); ++i) {
      RecordFields fields(object_[name][i], reads_, place_of(name) + "[" + std::to_string(i) + "]");
      describe(fields, values[i]);
    }
  }
  template <typename Value>
  void objects_if_any(const char* name, std::vector<Value>& values) {
    if (reads_ ? has(name) : !values.empty()) objects(name, values);
  }
  template <typename Value>
  void object_if_any(const char* name, std::optional<Value>& value) {
    if (reads_ && has(name)) value.emplace();
    if (!value) return;
    is_written(name, nlohmann::json::object());
    RecordFields fields(object_[name], reads_, place_of(name));
    describe(fields, *value);
  }

 private:
  bool is_written(const char* name, const nlohmann::json& value);
  const nlohmann::json& at(const char* name) const;
  const nlohmann::json& array(const char* name) const;
  std::string place_of(const char* name) const;
  [[noreturn]] void refuse(const char* name, const std::string& why) const;

  nlohmann::json& object_;
  bool reads_;
  std::string place_;
};

}  // namespace duoblas::cli
