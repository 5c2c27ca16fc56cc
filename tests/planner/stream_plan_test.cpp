// Who computes a gemv, and which part of it.
#include "planner/stream_plan.hpp"

#include <cmath>

#include <gtest/gtest.h>

namespace duoblas {
namespace {

PlanMachine machine_that(SharingMode sharing) {
  PlanMachine machine;
  machine.has_gpu = true;
  machine.device.has_fp64 = true;
  machine.sharing = sharing;
  return machine;
}

StreamCall large_call() {
  StreamCall call;
  call.outputs = 4096;
  call.bytes = 64e6;
  return call;
}

// As a learner knows nothing yet, but has time to find out.
LearnedTimes nothing_learned() {
  LearnedTimes learned;
  learned.worst = {1, 1, 1, 1};
  learned.allowance = 20e-3;
  return learned;
}

LearnedTimes factors(double cpu, double gpu) {
  LearnedTimes learned = nothing_learned();
  learned.posteriors[place_of(Timed::cpu_all)].mean = std::log(cpu);
  learned.posteriors[place_of(Timed::cpu_side)].mean = std::log(cpu);
  learned.posteriors[place_of(Timed::gpu_alone)].mean = std::log(gpu);
  learned.posteriors[place_of(Timed::gpu_side)].mean = std::log(gpu);
  for (Posterior& posterior : learned.posteriors) posterior.spread = 0.01;
  learned.seen = {true, true, true, true};
  return learned;
}

TEST(StreamPlan, ComputesWhereItIsTold) {
  const PlanMachine machine = machine_that(SharingMode::host_pointer);
  const auto planned = [&](PlanRequest request) {
    return make_stream_plan(large_call(), machine, request, {}, nullptr);
  };
  EXPECT_EQ(planned({Strategy::cpu, {}, {}}).strategy, Strategy::cpu);
  const Plan gpu = planned({Strategy::gpu, {}, {}});
  EXPECT_EQ(gpu.strategy, Strategy::gpu);
  EXPECT_EQ(gpu.gpu_extent, 4096);
  const Plan split = planned({Strategy::hybrid, Share{3, 16}, {}});
  EXPECT_EQ(split.strategy, Strategy::hybrid);
  EXPECT_EQ(split.gpu_extent, 768);
  EXPECT_EQ(split.reason, Reason::split_given);
}

TEST(StreamPlan, CarriesOutAShareAsTold) {
  const PlanMachine machine = machine_that(SharingMode::host_pointer);
  StreamCall call = large_call();
  call.unit = 100;
  const auto outputs = [&](Share share) {
    const Plan plan = stream_plan_at(call, machine, share);
    EXPECT_EQ(plan.reason, plan.strategy == Strategy::cpu ? Reason::as_told : plan.reason);
    return plan.strategy == Strategy::cpu ? 0 : plan.gpu_extent;
  };
  EXPECT_EQ(outputs({0, 16}), 0);
  EXPECT_EQ(outputs({16, 16}), 4096);
  EXPECT_EQ(outputs({8, 16}), 2000) << "whole units";
  EXPECT_EQ(stream_plan_at(call, machine, {1, 1}).strategy, Strategy::gpu);
  EXPECT_EQ(stream_plan_at(call, machine, {8, 16}).strategy, Strategy::hybrid);
}

TEST(StreamPlan, LeavesToTheCpuWhatADeviceWouldCopy) {
  StreamCall call = large_call();
  call.device_copies = true;
  const LearnedTimes gpu_is_fast = factors(1, 0.01);
  const Plan plan = make_stream_plan(call, machine_that(SharingMode::staged), {}, {}, &gpu_is_fast);
  EXPECT_EQ(plan.strategy, Strategy::cpu);
}

TEST(StreamPlan, GivesADeviceThatHasTheMatrixAllOrNothing) {
  StreamCall call = large_call();
  call.device_has_it = true;
  const PlanMachine machine = machine_that(SharingMode::staged);
  const LearnedTimes gpu_is_fast = factors(1, 0.01), gpu_is_slow = factors(1, 3);
  EXPECT_EQ(make_stream_plan(call, machine, {}, {}, &gpu_is_fast).strategy, Strategy::gpu);
  EXPECT_EQ(make_stream_plan(call, machine, {}, {}, &gpu_is_slow).strategy, Strategy::cpu);
}

TEST(StreamPlan, BalancesBothSidesByWhatCallsShowed) {
  const PlanMachine machine = machine_that(SharingMode::host_pointer);
  const LearnedTimes gpu_is_twice_as_fast = factors(1, 0.5);
  StreamRates rates;
  rates.cpu = rates.gpu = rates.cpu_beside = rates.gpu_beside = 20e9;
  rates.launch_seconds = 0;
  const Plan plan = make_stream_plan(large_call(), machine, {}, rates, &gpu_is_twice_as_fast);
  EXPECT_EQ(plan.strategy, Strategy::hybrid);
  EXPECT_NEAR(static_cast<double>(plan.gpu_extent), 4096 * 2.0 / 3, 4096.0 / 64);
  ASSERT_TRUE(plan.forecast);
  EXPECT_GT(plan.forecast->modelled[place_of(Timed::gpu_side)], 0);
  EXPECT_GT(plan.forecast->modelled[place_of(Timed::cpu_side)], 0);
}

PlanMachine tuned_machine(SharingMode sharing, const MemoryRates& memory) {
  PlanMachine machine = machine_that(sharing);
  Profile profile;
  profile.memory = memory;
  machine.use(profile);
  return machine;
}

constexpr MemoryRates measured{40e9, 50e9, 300e9, 60e9, true, 45e9, 55e9, 10e-6};

TEST(StreamRates, AreTheProfilesWhereItIsThisMachinesOwn) {
  PlanMachine machine = tuned_machine(SharingMode::host_pointer, measured);
  StreamCall call = large_call();
  const StreamRates rates = stream_rates(call, machine);
  EXPECT_TRUE(rates.measured);
  EXPECT_EQ(rates.cpu, 50e9);
  EXPECT_EQ(rates.gpu, 60e9);
  EXPECT_EQ(rates.cpu_beside, 45e9);
  EXPECT_EQ(rates.gpu_beside, 55e9);
  EXPECT_EQ(rates.launch_seconds, 10e-6);
  call.device_has_it = true;
  EXPECT_EQ(stream_rates(call, machine).gpu, 300e9) << "from memory of its own";
  machine.match = ProfileMatch::device;
  EXPECT_FALSE(stream_rates(call, machine).measured) << "another processor may be beside it";
  EXPECT_FALSE(stream_rates(call, machine_that(SharingMode::staged)).measured);
  MemoryRates no_device = measured;
  no_device.gpu = no_device.gpu_host = 0;
  EXPECT_FALSE(stream_rates(call, tuned_machine(SharingMode::host_pointer, no_device)).measured);
}

TEST(StreamPlan, IsByMeasuredRatesWhereNothingIsLearned) {
  const PlanMachine machine = tuned_machine(SharingMode::host_pointer, measured);
  StreamCall call = large_call();
  const auto planned = [&] {
    return make_stream_plan(call, machine, {}, stream_rates(call, machine), nullptr);
  };
  const Plan both = planned();
  EXPECT_EQ(both.strategy, Strategy::hybrid);
  EXPECT_NEAR(static_cast<double>(both.gpu_extent), 4096 * 0.55, 4096.0 / 32);
  EXPECT_EQ(both.reason, Reason::both_fastest);
  EXPECT_FALSE(both.forecast) << "nobody takes it in";
  call.device_has_it = true;
  EXPECT_EQ(planned().strategy, Strategy::gpu);
  call.device_has_it = false;
  call.device_copies = true;
  EXPECT_EQ(planned().strategy, Strategy::cpu);
}

TEST(StreamPlan, TakesBothSidesNotMeasuredTogetherToGetWhatOneGets) {
  MemoryRates apart = measured;
  apart.cpu_beside = apart.gpu_beside = 0;
  const PlanMachine machine = tuned_machine(SharingMode::host_pointer, apart);
  const StreamCall call = large_call();
  const StreamRates rates = stream_rates(call, machine);
  EXPECT_EQ(rates.cpu_beside + rates.gpu_beside, 60e9);
}

TEST(StreamPlan, LeavesToTheCpuWhatBothSidesDoNotSpeedUp) {
  const PlanMachine machine = machine_that(SharingMode::host_pointer);
  const LearnedTimes gpu_is_slow = factors(1, 20);
  const Plan plan = make_stream_plan(large_call(), machine, {}, {}, &gpu_is_slow);
  EXPECT_EQ(plan.strategy, Strategy::cpu);
  EXPECT_EQ(plan.reason, Reason::cpu_fastest);
}

TEST(StreamPlan, NeverUsesADeviceWithoutDoublesForDoubles) {
  PlanMachine machine = machine_that(SharingMode::host_pointer);
  machine.device.has_fp64 = false;
  StreamCall call = large_call();
  call.precision = Precision::z;
  const Plan plan = make_stream_plan(call, machine, {Strategy::gpu, {}, {}}, {}, nullptr);
  EXPECT_EQ(plan.strategy, Strategy::cpu);
  EXPECT_EQ(plan.reason, Reason::no_double_precision);
}

TEST(StreamPlan, HasNoUseForADeviceThatCopies) {
  EXPECT_EQ(why_never_stream(machine_that(SharingMode::staged), Precision::s),
            Reason::copies_take_longer);
  EXPECT_EQ(expected_stream_gain(machine_that(SharingMode::staged), Precision::s, {}), 0);
}

TEST(StreamPlan, ExpectsOfSharedMemoryWhatBothSidesReadAtOnce) {
  PlanMachine machine = machine_that(SharingMode::host_pointer);
  EXPECT_FALSE(why_never_stream(machine, Precision::d));
  StreamRates rates;
  rates.cpu = 20e9;
  rates.cpu_beside = rates.gpu_beside = 20e9;
  EXPECT_DOUBLE_EQ(expected_stream_gain(machine, Precision::d, rates), 0.5);
  rates.cpu_beside = rates.gpu_beside = rates.gpu = 5e9;
  EXPECT_EQ(expected_stream_gain(machine, Precision::d, rates), 0) << "the CPU is faster alone";
  machine.device.has_fp64 = false;
  EXPECT_EQ(why_never_stream(machine, Precision::z), Reason::no_double_precision);
  EXPECT_FALSE(why_never_stream(machine, Precision::c));
  machine.has_gpu = false;
  EXPECT_EQ(why_never_stream(machine, Precision::c), Reason::no_device);
}

}  // namespace
}  // namespace duoblas
