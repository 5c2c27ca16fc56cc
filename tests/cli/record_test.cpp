// A comparison in files: written, read again, damaged, and compared with another.
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <functional>
#include <limits>
#include <sstream>

#include <duoblas/error.hpp>

#include "cli/bench/record.hpp"
#include "cli/bench/record_changes.hpp"
#include "cli/bench/strategy_table.hpp"
#include "cli/made_up_record.hpp"
#include "support/temporary_directory.hpp"

namespace duoblas::cli {
namespace {

class RecordFile : public ::testing::Test {
 protected:
  BenchRecord read(const std::string& text) {
    const std::string path = folder_ / "record.json";
    std::ofstream(path) << text;
    return read_record(path);
  }
  /// What is said of the made-up record's document after a change.
  std::string refusal(const std::function<void(nlohmann::json&)>& change) {
    nlohmann::json document = to_json(made_up_record());
    change(document);
    return refusal_of(document.dump());
  }
  std::string refusal_of(const std::string& text) {
    try {
      read(text);
    } catch (const Error& error) {
      return error.what();
    }
    return {};
  }
  test::TemporaryDirectory folder_;
};

void expect_word(const std::string& text, const std::string& word) {
  EXPECT_NE(text.find(word), std::string::npos) << word << " in: " << text;
}

TEST_F(RecordFile, IsRefusedWhereANumberIsTooLargeForADouble) {
  const std::string refusal = refusal_of(R"({"context":{},"results":[],"seconds":3.42e590})");
  EXPECT_NE(refusal.find("record.json"), std::string::npos) << refusal;
  EXPECT_NE(refusal.find("3.42e590"), std::string::npos) << refusal;
}

TEST_F(RecordFile, HoldsEverythingThatWasMeasured) {
  const std::string written = to_json(made_up_record()).dump();
  EXPECT_EQ(to_json(read(written)).dump(), written);
}

TEST_F(RecordFile, HoldsAWrongResultAsWrong) {
  BenchRecord record = made_up_record();
  record.rows[0].error = std::numeric_limits<double>::infinity();
  EXPECT_TRUE(std::isinf(read(to_json(record).dump()).rows[0].error));
}

TEST_F(RecordFile, OfEarlierVersionsHasNoSamplesPowerOrSplits) {
  nlohmann::json document = to_json(made_up_record());
  for (const char* name : {"peaks", "splits", "transfers", "power", "power_sources", "power_sum"})
    document.erase(name);
  for (auto& row : document["results"])
    for (const char* name : {"samples", "energy", "joules"}) row.erase(name);
  const BenchRecord record = read(document.dump());
  EXPECT_EQ(record.rows.size(), made_up_record().rows.size());
  EXPECT_TRUE(record.rows[0].energy.empty());
  EXPECT_FALSE(percent_of_peak(record, record.rows[0]));
}

TEST_F(RecordFile, HasThePercentOfThePeakOfTheSidesThatWorked) {
  BenchRecord record = made_up_record();
  record.rows[0].gflops = 75;
  record.rows[1].gflops = 55;
  record.rows[2].recovered = true;
  record.rows[4].precision = Precision::d;
  const nlohmann::json document = to_json(record);
  EXPECT_DOUBLE_EQ(document["results"][0]["percent_of_peak"], 50) << "cpu: 75 of 150";
  EXPECT_DOUBLE_EQ(document["results"][1]["percent_of_peak"], 10) << "hybrid: 55 of 400 + 150";
  EXPECT_FALSE(document["results"][2].contains("percent_of_peak")) << "the device failed";
  EXPECT_FALSE(document["results"][4].contains("percent_of_peak")) << "no peak of doubles";
  const std::string csv = to_csv(record);
  EXPECT_NE(csv.find("speedup,percent_of_peak,recovered"), std::string::npos) << csv;
  EXPECT_NE(csv.find(",1.5,50,0,"), std::string::npos) << csv;
  EXPECT_NE(csv.find(",1.5,,0,"), std::string::npos) << csv;
  expect_word(refusal([](auto& d) { d["peaks"][0]["precision"] = "z"; }), "peaks[0].precision");
  expect_word(refusal([](auto& d) { d["peaks"][0]["gpu_gflops"] = -1; }), "peaks[0].gpu_gflops");
}

TEST_F(RecordFile, ShowsTransfersWithTheProblemThatTheyAreOf) {
  const BenchRecord record = made_up_record();
  const auto problems = by_problem(record.rows);
  EXPECT_EQ(transfers_of(record, problems[0]), nullptr);
  std::ostringstream text;
  print_problem(record, problems[1], text);
  print_legend(record, text);
  expect_word(text.str(), "Transfers of sgemm nn, 512 x 512 x 512, row-major, medians of 9 rounds");
  expect_word(text.str(), "copies: 10.5 GB/s there, 3.5 GB/s back");
  expect_word(text.str(), "2.5 ms");
  expect_word(text.str(), "zero-copy");
  expect_word(refusal([](auto& d) { d["transfers"][0]["ways"][1].erase("c_seconds"); }),
              "transfers[0].ways[1].c_seconds");
}

TEST_F(RecordFile, ShowsThePercentOfThePeakAndWhatThatIs) {
  BenchRecord record = made_up_record();
  record.rows[0].gflops = 75;
  record.rows[1].recovered = true;
  std::ostringstream text;
  print_problem(record, by_problem(record.rows).front(), text);
  print_legend(record, text);
  expect_word(text.str(), "% peak");
  expect_word(text.str(), "50.0");
  expect_word(text.str(), "s: 400.0 GFLOPS on the GPU (8 chains of fma), 150.0 on the CPU");
  const StrategyTable table = speed_table(record, by_problem(record.rows).front());
  EXPECT_EQ(table.columns[3].title, "% peak");
  EXPECT_EQ(table.rows[1][3], "-");
  record.peaks.clear();
  EXPECT_EQ(speed_table(record, by_problem(record.rows).front()).columns[3].title, "p_g/P");
}

TEST_F(RecordFile, ThatIsDamagedNamesTheField) {
  expect_word(refusal([](auto& d) { d["results"][3].erase("seconds"); }), "results[3].seconds");
  expect_word(refusal([](auto& d) { d["results"][0]["seconds"] = "fast"; }), "no number");
  expect_word(refusal([](auto& d) { d["results"][0]["seconds_q1"] = 99; }), "quartiles");
  expect_word(refusal([](auto& d) { d["results"][0]["m"] = 0; }), "results[0].m cannot be 0");
  expect_word(refusal([](auto& d) { d["results"][0]["gpu_parts"] = 17; }), "gpu_parts");
  expect_word(refusal([](auto& d) { d["results"][0]["precision"] = "q"; }), "precision");
  expect_word(refusal([](auto& d) { d["results"][0]["ops"] = "nq"; }), "results[0].ops");
  expect_word(refusal([](auto& d) { d["results"][0]["samples"] = {1, "x"}; }), "samples");
  expect_word(refusal([](auto& d) { d["results"] = 7; }), "results is no array");
  expect_word(refusal([](auto& d) { d.erase("results"); }), "no context and results");
  expect_word(refusal([](auto& d) { d["context"] = "here"; }), "context");
  expect_word(refusal([](auto& d) { d["splits"][0]["samples"][1] = 3; }), "splits[0].samples[1]");
  expect_word(refusal([](auto& d) { d["power"][0]["lines"][0]["watts"][0] = {1}; }), "watts");
  expect_word(refusal([](auto& d) { d["power"][0]["lines"][0]["watts"][0][1] = -1; }), "watts");
}

TEST_F(RecordFile, OfNumbersThatNoCountHasIsRefused) {
  for (const char* name : {"rounds", "parts", "gpu_parts"}) {
    const std::int64_t wraps_to_one = (std::int64_t{1} << 32) + 1;
    expect_word(refusal([&](auto& d) { d["results"][0][name] = wraps_to_one; }), name);
  }
}

TEST_F(RecordFile, ThatIsNestedWithoutEndIsRefused) {
  std::string deep = to_json(made_up_record()).dump();
  const std::string context = "\"context\":{";
  const int levels = 200'000;
  deep.insert(deep.find(context) + context.size(),
              "\"a\":" + std::string(levels, '[') + std::string(levels, ']') + ",");
  expect_word(refusal_of(deep), "nested too deeply");
}

TEST_F(RecordFile, RefusesATextThatIsNoRecordAndSaysWhy) {
  expect_word(refusal_of(to_json(made_up_record()).dump().substr(0, 500)), "cut off");
  expect_word(refusal_of("[]"), "no JSON object");
  expect_word(refusal_of(""), "no JSON");
  EXPECT_THROW(read_record(folder_ / "none.json"), Error);
}

TEST(RecordCsv, HasALinePerStrategyAndQuotesWhatNeedsIt) {
  std::istringstream lines(to_csv(made_up_record()));
  std::vector<std::string> all;
  for (std::string line; std::getline(lines, line);) all.push_back(line);
  ASSERT_EQ(all.size(), 7u);
  expect_word(all[0], "precision,ops,layout,m,n,k,strategy,gflops,seconds");
  expect_word(all[0], ",gpu_mean_watts,gpu_peak_watts,gpu_joules,joules,device,");
  expect_word(all[1], "s,nn,row,256,256,256,cpu,100,");
  expect_word(all[2], ",\"panel, \"\"6x64\"\"\",");
  expect_word(all[2], ",250,300,0.5,0.5,Paper <GPU>,1.2,0,Paper CPU & Sons,OpenBLAS,8,1,");
}

TEST(RecordCsv, LeavesEmptyWhatWasNotMeasured) {
  BenchRecord record = made_up_record();
  record.rows = {record.rows[1]};
  record.rows[0].energy.clear();
  record.rows[0].joules = 0;
  record.rows[0].kernel = "=cmd()";
  const std::string text = to_csv(record);
  expect_word(text, ",,,,,Paper <GPU>,");
  expect_word(text, ",\"'=cmd()\",");
}

TEST(RecordChanges, PairsRowsByProblemAndStrategy) {
  const BenchRecord then = made_up_record();
  BenchRecord now = made_up_record();
  now.rows.push_back(made_up_row("cpu", {8, 8, 8}, 1e-6));
  now.rows[0] = made_up_row("cpu", {256, 256, 256}, 4 * then.rows[0].seconds);
  now.rows[1] = made_up_row("hybrid", {256, 256, 256}, then.rows[1].seconds / 4);
  now.rows[2].recovered = true;
  const RecordChanges changes = changes_between(then, now);
  ASSERT_EQ(changes.rows.size(), 5u);
  EXPECT_EQ(changes.rows[0].verdict.change, Change::slower);
  EXPECT_EQ(changes.rows[1].verdict.change, Change::faster);
  EXPECT_EQ(changes.rows[2].verdict.change, Change::same);
  EXPECT_EQ(changes.only_now, 1);
  EXPECT_EQ(changes.only_then, 1);
}

TEST(RecordChanges, OfAnotherMachineAreToldButMarked) {
  const BenchRecord then = made_up_record();
  BenchRecord now = made_up_record();
  now.context["cpu_model"] = "Glass CPU";
  now.context["device"]["driver"] = "2.0";
  std::ostringstream text;
  print_changes(then, now, "old.json", text);
  expect_word(text.str(), "ANOTHER MACHINE");
  expect_word(text.str(), "the CPU is Glass CPU, it was Paper CPU & Sons");
  expect_word(text.str(), "the driver is 2.0, it was 1.2");
  expect_word(text.str(), "Of 6 times: 0 faster, 0 slower, 6 the same within noise.");
}

TEST(RecordChanges, WithNothingInCommonSayWhatToDo) {
  BenchRecord now = made_up_record();
  now.rows = {made_up_row("cpu", {8, 8, 8}, 1e-6)};
  std::ostringstream text;
  print_changes(made_up_record(), now, "old.json", text);
  expect_word(text.str(), "Nothing was measured in both");
}

}  // namespace
}  // namespace duoblas::cli
