// Tuning again adds to what is known.
#include <gtest/gtest.h>

#include "profile/profile.hpp"

namespace duoblas {
namespace {

TunedPoint point(Precision precision, std::int64_t n, double seconds) {
  TunedPoint p;
  p.precision = precision;
  p.m = p.n = p.k = n;
  p.hybrid.seconds = seconds;
  return p;
}

TEST(MergedProfile, KeepsWhatWasNotTunedAnew) {
  Profile older;
  older.points = {point(Precision::s, 512, 1), point(Precision::s, 1024, 2),
                  point(Precision::d, 512, 3)};
  older.crossover_flops[precision_index(Precision::s)] = 10;
  older.crossover_flops[precision_index(Precision::d)] = 20;
  older.updates[precision_index(Precision::s)] = {1, 2, 3, 4, 5};
  older.updates[precision_index(Precision::d)] = {2, 2, 3, 4, 5};
  Profile newer;
  newer.key.device = "the device";
  newer.created = "now";
  newer.points = {point(Precision::s, 512, 9)};
  newer.crossover_flops[precision_index(Precision::s)] = 11;
  newer.updates[precision_index(Precision::s)] = {1, 6, 7, 8, 9};

  const Profile both = merged(older, newer);
  ASSERT_EQ(both.points.size(), 3u);
  EXPECT_EQ(both.points[0].hybrid.seconds, 9) << "tuned anew";
  EXPECT_EQ(both.points[1].hybrid.seconds, 2);
  EXPECT_EQ(both.points[2].hybrid.seconds, 3);
  EXPECT_EQ(both.crossover_flops[precision_index(Precision::s)], 11);
  EXPECT_EQ(both.crossover_flops[precision_index(Precision::d)], 20);
  EXPECT_EQ(both.updates[precision_index(Precision::s)].cpu_writes, 6);
  EXPECT_EQ(both.updates[precision_index(Precision::d)].c_bytes, 2);
  EXPECT_EQ(both.key.device, "the device");
  EXPECT_EQ(both.created, "now");
}

TEST(MergedProfile, KeepsTheCpuOfElementTypesThatWereNotTunedAnew) {
  const auto config = [](const char* type) { return every_precision({"", type, 0, {}, false}); };
  Profile older;
  older.points = {point(Precision::s, 512, 1), point(Precision::d, 512, 3)};
  older.cpu = older.cpu_all = config("Zen");
  Profile newer;
  newer.points = {point(Precision::s, 512, 2)};
  newer.cpu = newer.cpu_all = config("Haswell");
  const Profile both = merged(older, newer);
  EXPECT_EQ(both.cpu[precision_index(Precision::s)].core_type, "Haswell");
  EXPECT_EQ(both.cpu[precision_index(Precision::d)].core_type, "Zen");
  EXPECT_EQ(both.cpu_all[precision_index(Precision::d)].core_type, "Zen");
  EXPECT_EQ(both.cpu[precision_index(Precision::z)].core_type, "Haswell") << "never tuned";
}

TEST(MergedProfile, KeepsTheRatesOfMemoryThatWereNotMeasuredAnew) {
  Profile older, newer;
  older.memory = {1e9, 2e9, 3e9, 4e9, true, 5e8, 6e8, 1e-5};
  EXPECT_EQ(merged(older, newer).memory, older.memory);
  newer.memory = {7e9, 8e9, 9e9, 1e9, false, 0, 0, 2e-5};
  EXPECT_EQ(merged(older, newer).memory, newer.memory);
}

TEST(MergedProfile, KeepsKernelsOfGemvThatWereNotTunedAnew) {
  Profile older, newer;
  older.gemv[0][0] = TunedGemv{{4, 32, 1, 1, 8}, 1e9};
  older.gemv[0][1] = TunedGemv{{4, 8, 64, 1, 8}, 2e9};
  newer.gemv[0][1] = TunedGemv{{4, 16, 32, 2, 8}, 3e9};
  const Profile both = merged(older, newer);
  EXPECT_EQ(both.gemv[0][0], older.gemv[0][0]);
  EXPECT_EQ(both.gemv[0][1], newer.gemv[0][1]);
  EXPECT_EQ(kernel_in(both.gemv, Precision::s, true), (GemvKernel{4, 16, 32, 2, 8}));
  EXPECT_FALSE(kernel_in(both.gemv, Precision::d, true));
}

TEST(MergedProfile, KeepsANoteAsLongAsPointsThatItSpeaksOfStay) {
  Profile older;
  older.note = "It was noisy.";
  older.points = {point(Precision::s, 512, 1), point(Precision::d, 512, 3)};
  Profile newer;
  newer.points = {point(Precision::s, 512, 2)};
  EXPECT_EQ(merged(older, newer).note, "It was noisy.");
  newer.note = "So it was now.";
  EXPECT_EQ(merged(older, newer).note, "So it was now. Before: It was noisy.");
  newer.note = std::string(Profile::longest_note, 'x');
  EXPECT_EQ(merged(older, newer).note, newer.note);
  newer.note.clear();
  newer.points = older.points;
  EXPECT_EQ(merged(older, newer).note, "") << "all of it was tuned anew";
}

TEST(MergedProfile, TellsOpsApart) {
  Profile older;
  older.points = {point(Precision::s, 512, 1)};
  Profile newer;
  newer.points = {point(Precision::s, 512, 2)};
  newer.points[0].op_b = Op::transpose;
  EXPECT_EQ(merged(older, newer).points.size(), 2u);
}

}  // namespace
}  // namespace duoblas
