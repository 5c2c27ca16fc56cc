// The file of a comparison is read and written back as it was, or refused with a reason; tables and
// the page can be made of it.
#include <nlohmann/json.hpp>
#include <string>

#include <duoblas/error.hpp>

#include "cli/bench/record.hpp"
#include "cli/bench/record_changes.hpp"
#include "cli/bench/report_page.hpp"
#include "fuzz/fuzz_target.hpp"

namespace duoblas::cli {
namespace {

BenchRecord read(const std::uint8_t* data, std::size_t size) {
  static const std::string path = fuzz::scratch_file("record.json");
  fuzz::write_scratch(path, data, size);
  return read_record(path);
}

std::string written(const BenchRecord& record) {
  return to_json(record).dump(2, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace
}  // namespace duoblas::cli

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace duoblas;
  using namespace duoblas::cli;
  BenchRecord record;
  try {
    record = read(data, size);
  } catch (const Error& refusal) {
    fuzz::require(refusal.what()[0] != '\0', "a refusal says why");
    return 0;
  }
  const std::string text = written(record);
  const BenchRecord again = read(reinterpret_cast<const std::uint8_t*>(text.data()), text.size());
  fuzz::require(written(again) == text, "what is read is written as it was");
  fuzz::require(!to_csv(record).empty(), "a record is a table");
  changes_between(record, again);
  fuzz::require(!report_page(record).empty(), "a record is a page");
  return 0;
}
