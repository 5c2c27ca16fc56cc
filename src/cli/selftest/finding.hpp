// The result of one step of the selftest.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <utility>

namespace duoblas::cli::selftest {

/// `impossible`: not possible here, as the text says why.
enum class Found { ok, wrong, impossible };

constexpr std::string_view name(Found found) {
  switch (found) {
    case Found::ok: return "ok";
    case Found::wrong: return "wrong";
    case Found::impossible: return "not possible here";
  }
  return "wrong";
}

struct Finding {
  Found found = Found::ok;
  std::string text;  ///< one line
  nlohmann::json facts = nlohmann::json::object();
  bool shown = false;  ///< on the terminal even where it is ok
};

inline Finding impossible(std::string why) {
  Finding finding;
  finding.found = Found::impossible;
  finding.text = std::move(why);
  finding.shown = true;
  return finding;
}

/// Null if the value is infinite or NaN, because JSON has neither.
inline nlohmann::json number_or_null(double value) {
  return value < 1e300 ? nlohmann::json(value) : nlohmann::json(nullptr);
}

}  // namespace duoblas::cli::selftest
