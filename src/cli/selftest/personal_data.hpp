// Removes personal data from a file that is sent to strangers.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace duoblas::cli::selftest {

/// Whose machine it is. Empty: not known.
struct Owner {
  std::string home;  ///< "/srv/people/jane"
  std::string user;
  std::string host;
};

/// The owner of this process.
Owner this_owner();

/// The text with "~" for home folders, "USER" for the user's name where it is a part of a path, and
/// "HOST" for the machine's name.
std::string without_personal_data(const std::string& text, const Owner& owner);
/// The same for every text in a document, names of members excepted.
void remove_personal_data(nlohmann::json& document, const Owner& owner);

}  // namespace duoblas::cli::selftest
