// Profiles that are truncated, damaged, of another version or hostile: refused, with a clear
// reason.
#include <fstream>
#include <functional>
#include <limits>
#include <string>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <duoblas/error.hpp>

#include "support/temporary_directory.hpp"
#include "support/tuned_machine.hpp"

namespace duoblas {
namespace {

using Json = nlohmann::json;

Json paper_json() {
  return Json::parse(to_json(test::paper_profile()));
}

// The complaint about this text; empty where there is none.
std::string complaint(const std::string& text) {
  try {
    profile_from_json(text);
  } catch (const SettingError& e) {
    return e.what();
  }
  return "";
}

// The complaint after a change to a good profile.
std::string complaint_after(const std::function<void(Json&)>& damage) {
  Json json = paper_json();
  damage(json);
  return complaint(json.dump());
}

::testing::AssertionResult mentions(const std::string& text, const std::string& part) {
  if (text.find(part) != std::string::npos) return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure() << "\"" << text << "\" does not mention " << part;
}

TEST(DamagedProfile, IsRefusedHoweverItWasTruncated) {
  const std::string text = to_json(test::paper_profile());
  // The last character is a newline, which is not missed.
  for (std::size_t length = 0; length + 1 < text.size(); length += 7)
    ASSERT_NE(complaint(text.substr(0, length)), "") << length << " characters";
}

TEST(DamagedProfile, IsRefusedWhateverByteBecameNoise) {
  const std::string text = to_json(test::paper_profile());
  for (std::size_t i = 0; i < text.size(); i += 5) {
    std::string damaged = text;
    damaged[i] = '\xff';
    ASSERT_NE(complaint(damaged), "") << "at " << i;
  }
}

TEST(DamagedProfile, IsToldWhichVersionIsRead) {
  const std::string future = complaint_after([](Json& j) {
    j["version"] = 99;
    j["something_new"] = 1;
  });
  EXPECT_TRUE(mentions(future, "version is 99"));
  EXPECT_TRUE(mentions(future, "reads versions 4 to " + std::to_string(Profile::current_version)));
}

TEST(DamagedProfile, OfTheVersionBeforeIsToldToBeTunedAgain) {
  const test::TemporaryDirectory directory;
  const Profile profile = test::paper_profile();
  Json json = paper_json();
  json["version"] = 3;
  json["cpu"] = json["cpu"]["s"];
  std::ofstream(directory / profile_file_name(profile.key).c_str()) << json.dump();
  std::string problem;
  EXPECT_FALSE(load_profile(directory.path(), profile.key, &problem).has_value());
  EXPECT_TRUE(mentions(problem, "version is 3, but this library reads versions 4 to " +
                                    std::to_string(Profile::current_version)));
  EXPECT_TRUE(mentions(problem, "run \"duoblas tune\" to replace it"));
}

TEST(DamagedProfile, IsRefusedByTheNameOfTheFieldThatIsWrong) {
  struct Case {
    const char* field;
    std::function<void(Json&)> damage;
  };
  const Case cases[] = {
      {"format", [](Json& j) { j["format"] = "something else"; }},
      {"version is missing", [](Json& j) { j.erase("version"); }},
      {"version", [](Json& j) { j["version"] = "1"; }},
      {"created", [](Json& j) { j["created"] = 5; }},
      {"key.device", [](Json& j) { j["key"]["device"] = nullptr; }},
      {"key.driver", [](Json& j) { j["key"]["driver"] = std::string(100000, 'x'); }},
      {"key.cpu must be a string",
       [](Json& j) {
         j["key"]["cpu"] = {{"path", "/etc/passwd"}};
       }},
      {"key has an unknown field", [](Json& j) { j["key"]["path"] = "../../x"; }},
      {"key.standin", [](Json& j) { j["key"]["standin"] = "yes"; }},
      {"key must be an object", [](Json& j) { j["key"] = Json::array(); }},
      {"cpu.s.threads", [](Json& j) { j["cpu"]["s"]["threads"] = -1; }},
      {"cpu.s.cores",
       [](Json& j) {
         j["cpu"]["s"]["cores"] = {0, -3};
       }},
      {"cpu.s.cores",
       [](Json& j) {
         j["cpu"]["s"]["cores"] = {0, 1.5};
       }},
      {"cpu_all.z.cores", [](Json& j) { j["cpu_all"]["z"]["cores"] = std::vector<int>(5000, 1); }},
      {"cpu.d.core_type", [](Json& j) { j["cpu"]["d"]["core_type"] = "Has=well;rm"; }},
      {"cpu.c.tiles", [](Json& j) { j["cpu"]["c"]["tiles"] = 1; }},
      {"cpu.z is missing", [](Json& j) { j["cpu"].erase("z"); }},
      {"cpu.s has an unknown field", [](Json& j) { j["cpu"]["s"]["library"] = "/tmp/evil.so"; }},
      {"cpu has an unknown field", [](Json& j) { j["cpu"]["h"] = j["cpu"]["s"]; }},
      {"origin.kind", [](Json& j) { j["origin"]["kind"] = "tpu"; }},
      {"origin.vendor", [](Json& j) { j["origin"]["vendor"] = 7; }},
      {"origin.architecture is missing", [](Json& j) { j["origin"].erase("architecture"); }},
      {"origin is missing", [](Json& j) { j.erase("origin"); }},
      {"note is longer than 400", [](Json& j) { j["note"] = std::string(401, 'x'); }},
      {"note must be plain text", [](Json& j) { j["note"] = "quiet\x1b[2J"; }},
      {"crossover_flops.s", [](Json& j) { j["crossover_flops"]["s"] = -1.0; }},
      {"crossover_flops.z is missing", [](Json& j) { j["crossover_flops"].erase("z"); }},
      {"uses has an unknown field",
       [](Json& j) { j["points"][0]["uses"]["whole"] = j["points"][0]["gpu"]; }},
      {"uses.update has an unknown field",
       [](Json& j) { j["points"][0]["uses"]["update"] = j["points"][0]["gpu"]; }},
      {"updates.d.gpu_adds is missing",
       [](Json& j) {
         j["updates"]["d"] = {
             {"c_bytes", 1e6}, {"cpu_writes", 1}, {"cpu_adds", 1}, {"gpu_writes", 1}};
       }},
      {"updates.s.c_bytes must be 1000 or more",
       [](Json& j) {
         j["updates"]["s"] = {{"c_bytes", 1e-320},
                              {"cpu_writes", 1},
                              {"cpu_adds", 1},
                              {"gpu_writes", 1},
                              {"gpu_adds", 1}};
       }},
      {"gemv.d.t.lines is missing", [](Json& j) { j["gemv"]["d"]["t"].erase("lines"); }},
      {"gemv.d.t is no kernel of gemv", [](Json& j) { j["gemv"]["d"]["t"]["across"] = 3; }},
      {"gemv.d.t is no kernel of gemv", [](Json& j) { j["gemv"]["d"]["t"]["teams"] = 5000; }},
      {"gemv.d.t.unroll", [](Json& j) { j["gemv"]["d"]["t"]["unroll"] = -1; }},
      {"gemv.d.t is no kernel of gemv", [](Json& j) { j["gemv"]["d"]["t"]["image"] = 2; }},
      {"gemv.d.t.image", [](Json& j) { j["gemv"]["d"]["t"]["image"] = -1; }},
      {"gemv.d.t is no kernel of gemv",
       [](Json& j) {
         j["gemv"]["d"]["t"]["image"] = 1;
         j["gemv"]["d"]["t"]["vector_width"] = 4;
       }},
      {"gemv.d.t.rate", [](Json& j) { j["gemv"]["d"]["t"]["rate"] = "fast"; }},
      {"gemv has an unknown field \"q\"", [](Json& j) { j["gemv"]["q"] = Json::object(); }},
      {"gemv.d.n is no kernel of gemv", [](Json& j) { j["gemv"]["d"]["n"] = j["gemv"]["d"]["t"]; }},
      {"memory.gpu is missing", [](Json& j) { j["memory"].erase("gpu"); }},
      {"memory.cpu_all must be 1e6 or more", [](Json& j) { j["memory"]["cpu_all"] = 1e-300; }},
      {"memory.gpu_host must be 1e6 or more", [](Json& j) { j["memory"]["gpu_host"] = 0; }},
      {"memory.cpu", [](Json& j) { j["memory"]["cpu"] = 1e300; }},
      {"memory.gpu_beside must be 1e6 or more", [](Json& j) { j["memory"]["gpu_beside"] = 0; }},
      {"memory.launch_seconds must be above 0", [](Json& j) { j["memory"]["launch_seconds"] = 0; }},
      {"memory.launch_seconds", [](Json& j) { j["memory"]["launch_seconds"] = 60; }},
      {"memory.in_place", [](Json& j) { j["memory"]["in_place"] = 1; }},
      {"points must be an array", [](Json& j) { j["points"] = 7; }},
      {"points[1].precision", [](Json& j) { j["points"][1]["precision"] = "q"; }},
      {"points[0].ops", [](Json& j) { j["points"][0]["ops"] = "nx"; }},
      {"points[0].ops", [](Json& j) { j["points"][0]["ops"] = "n"; }},
      {"points[2].m", [](Json& j) { j["points"][2]["m"] = -5; }},
      {"points[2].n", [](Json& j) { j["points"][2]["n"] = 0; }},
      {"points[2].k", [](Json& j) { j["points"][2]["k"] = 1e30; }},
      {"points[2].k",
       [](Json& j) { j["points"][2]["k"] = std::numeric_limits<std::uint64_t>::max(); }},
      {"points[0].hybrid.gpu_parts", [](Json& j) { j["points"][0]["hybrid"]["gpu_parts"] = 17; }},
      {"points[0].hybrid.parts", [](Json& j) { j["points"][0]["hybrid"]["parts"] = 0; }},
      {"points[0].simple.parts", [](Json& j) { j["points"][0]["simple"]["parts"] = 1025; }},
      {"points[0].simple.sharing", [](Json& j) { j["points"][0]["simple"]["sharing"] = "magic"; }},
      {"points[0].gpu.seconds", [](Json& j) { j["points"][0]["gpu"]["seconds"] = -0.5; }},
      {"points[0].gpu.seconds", [](Json& j) { j["points"][0]["gpu"]["seconds"] = nullptr; }},
      {"points[0].noise", [](Json& j) { j["points"][0]["noise"] = -1; }},
      {"points[0].noise", [](Json& j) { j["points"][0]["noise"] = 1e300; }},
      {"points[1].gpu_side_seconds", [](Json& j) { j["points"][1]["gpu_side_seconds"] = "x"; }},
      {"points[1].cpu_side_seconds is missing",
       [](Json& j) { j["points"][1].erase("cpu_side_seconds"); }},
      {"points[0].gpu.kernel is missing", [](Json& j) { j["points"][0]["gpu"].erase("kernel"); }},
      {"points[0].gpu.kernel.tile_rows",
       [](Json& j) { j["points"][0]["gpu"]["kernel"]["tile_rows"] = "six"; }},
      {"points[0].gpu.kernel is illegal",
       [](Json& j) { j["points"][0]["gpu"]["kernel"]["tile_rows"] = 1000; }},
      {"points[0].gpu.kernel is illegal",
       [](Json& j) { j["points"][0]["gpu"]["kernel"]["source"] = 1; }},
      {"unknown field \"surprise\"", [](Json& j) { j["points"][0]["surprise"] = 1; }},
  };
  for (const Case& c : cases) EXPECT_TRUE(mentions(complaint_after(c.damage), c.field));
}

TEST(DamagedProfile, IsRefusedForAKernelThatBreaksAStaticRule) {
  const std::string text = complaint_after([](Json& j) {
    // A panel kernel runs one work-item per group.
    Json& kernel = j["points"][0]["hybrid"]["kernel"];
    kernel["family"] = 0;
    kernel["group_rows"] = 4;
  });
  EXPECT_TRUE(mentions(text, "points[0].hybrid.kernel"));
}

TEST(DamagedProfile, IsRefusedForNumbersThatAreNone) {
  std::string text = to_json(test::paper_profile());
  const auto at = text.find("\"cpu_seconds\":");
  ASSERT_NE(at, std::string::npos);
  const auto end = text.find(',', at);
  for (const char* number : {"NaN", "Infinity", "1e999", "-1e999", "0x10"}) {
    std::string damaged = text;
    damaged.replace(at, end - at, std::string("\"cpu_seconds\":") + number);
    EXPECT_NE(complaint(damaged), "") << number;
  }
}

TEST(DamagedProfile, IsRefusedBeforeItExhaustsTheReader) {
  EXPECT_TRUE(mentions(complaint_after([](Json& j) {
                         for (int i = 0; i < 5000; ++i) j["key"][std::to_string(i)] = 0;
                       }),
                       "too many members"));
  EXPECT_TRUE(mentions(complaint(std::string(5u << 20, ' ')), "larger than 4 MiB"));
  EXPECT_TRUE(mentions(complaint(std::string(1u << 20, '[')), "nested too deeply"));
  EXPECT_TRUE(mentions(complaint_after([](Json& j) {
                         // Small elements: the count is what is refused.
                         j["points"] = Json::array();
                         for (int i = 0; i < 5000; ++i) j["points"].push_back(Json::object());
                       }),
                       "points has more than 4096 elements"));
}

}  // namespace
}  // namespace duoblas
