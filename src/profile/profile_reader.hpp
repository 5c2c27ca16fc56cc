// Checked access to the JSON of a profile: every complaint names the field it is about.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "kernel_space/device_limits.hpp"
#include "profile/json_value.hpp"

namespace duoblas {

/// A JSON object or array together with its path in the file ("points[3].hybrid"). Every access
/// is checked and \throws SettingError. The JSON outlives the reader.
class ProfileReader {
 public:
  ProfileReader(const JsonValue& value, std::string path);

  /// An object's member that is an object itself. It may have no members beside `fields`.
  ProfileReader object(std::string_view field,
                       std::initializer_list<std::string_view> fields) const;
  /// An array of at most `limit` elements.
  const std::vector<JsonValue>& elements(std::string_view field, std::size_t limit) const;
  /// The same; each element is an object.
  std::vector<ProfileReader> objects(std::string_view field, std::size_t limit) const;

  /// Whether this is an object with such a member.
  bool has(std::string_view field) const;
  std::string text(std::string_view field, std::size_t limit) const;
  bool truth(std::string_view field) const;
  std::int64_t integer(std::string_view field, std::int64_t low, std::int64_t high) const;
  std::vector<int> integers(std::string_view field, int low, int high, std::size_t limit) const;
  /// A finite number, 0 or more, and at most `high`.
  double amount(std::string_view field, double high) const;

  /// \throws SettingError if this is no object or has a member that is not in `fields`.
  void allow(std::initializer_list<std::string_view> fields) const;
  std::vector<std::string> members() const;
  [[noreturn]] void complain(std::string_view field, const std::string& complaint) const;

 private:
  const JsonValue& member(std::string_view field) const;
  std::string path_of(std::string_view field) const;

  const JsonValue* value_;
  std::string path_;
};

/// The member "arithmetic" of a key; native where there is none, as in files of old.
Arithmetic arithmetic_of(const ProfileReader& key);

}  // namespace duoblas
