// A journal's lines are read and written back as they were, or refused with a reason; a whole
// journal is continued, or kept aside and begun anew.
#include <filesystem>
#include <sstream>

#include <duoblas/error.hpp>

#include "fuzz/fuzz_target.hpp"
#include "tuner/journal.hpp"
#include "tuner/journal_recording.hpp"

namespace duoblas {
namespace {

void read_line(const std::string& text) {
  journal::Line line;
  try {
    line = journal::from_text(text);
  } catch (const SettingError& refusal) {
    fuzz::require(refusal.what()[0] != '\0', "a refusal says why");
    return;
  }
  const std::string written = journal::to_text(line);
  fuzz::require(written.find('\n') == std::string::npos, "a line is one line");
  fuzz::require(journal::to_text(journal::from_text(written)) == written,
                "what is read is written as it was");
}

// The header that the journal has, or any other.
JournalHeader header_of(const std::string& text) {
  try {
    const journal::Line first = journal::from_text(text.substr(0, text.find('\n')));
    if (const auto* header = std::get_if<JournalHeader>(&first)) return *header;
  } catch (const SettingError&) {
    // It is one that is kept aside.
  }
  return {{"device", "driver", "processor", false}, "1"};
}

void continue_journal(const std::string& path, const JournalHeader& header) {
  {
    Journal journal(path, header, false);
    journal.verdict({}, "sgemm nn");
    journal.begin("request");
    journal.begin_case("sgemm nn 8 x 8 x 8", 1);
    journal.finish();
  }
  const Journal again(path, header, false);
  fuzz::require(again.story().empty(), "what was continued or begun anew is read again");
  fuzz::require(again.is_done("request"), "what was written is found again");
}

void replay_journal(const std::string& path) {
  try {
    for (const std::string& tuning_case : recorded_cases(path))
      recording_from_journal(path, tuning_case);
  } catch (const SettingError& refusal) {
    fuzz::require(refusal.what()[0] != '\0', "a refusal says why");
  }
}

}  // namespace
}  // namespace duoblas

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace duoblas;
  const std::string text(reinterpret_cast<const char*>(data), size);
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) read_line(line);

  static const std::string path = fuzz::scratch_file("journal.jsonl");
  fuzz::write_scratch(path, data, size);
  replay_journal(path);
  continue_journal(path, header_of(text));
  std::filesystem::remove(path);
  std::filesystem::remove(path + ".unusable");
  return 0;
}
