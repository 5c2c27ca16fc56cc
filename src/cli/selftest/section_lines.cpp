#include "cli/selftest/section_lines.hpp"

#include <duoblas/error.hpp>

namespace duoblas::cli::selftest {

std::string line_of(const SectionLine& line) {
  nlohmann::json json = {{"say", static_cast<int>(line.say)}, {"step", line.step}};
  json["name"] = line.name;
  if (line.say == SectionLine::Say::found) {
    json["found"] = static_cast<int>(line.finding.found);
    json["text"] = line.finding.text;
    json["facts"] = line.finding.facts;
    json["shown"] = line.finding.shown;
  }
  // Texts come from drivers: what is no UTF-8 is replaced.
  return json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

SectionLine section_line_from(const std::string& text) {
  SectionLine line;
  try {
    const auto json = nlohmann::json::parse(text);
    line.say = static_cast<SectionLine::Say>(json.at("say").get<int>());
    line.step = json.at("step");
    line.name = json.at("name");
    if (line.say == SectionLine::Say::found) {
      line.finding.found = static_cast<Found>(json.at("found").get<int>());
      line.finding.text = json.at("text");
      line.finding.facts = json.at("facts");
      line.finding.shown = json.at("shown");
    }
  } catch (const nlohmann::json::exception& error) {
    throw Error(std::string("a section says what cannot be read: ") + error.what());
  }
  return line;
}

}  // namespace duoblas::cli::selftest
