// Many trsm in one call: both sides share the solves of a group, as they share the outputs of a
// routine that memory bounds.
//
//   run_trsm_batches ─> large solves             one by one, each by both sides (run_level3)
//                    ─> a group of small ones    TrsmRoutine: the device has the first, the CPU the
//                    rest ─> too few to be shared     the CPU, on all cores, all groups at once
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/engine.hpp"
#include "engine/stream_routine.hpp"
#include "problem/trsm_batch.hpp"

namespace duoblas {

/// A group as a StreamRoutine: its outputs are solves.
class TrsmRoutine final : public StreamRoutine {
 public:
  /// \pre not empty.
  explicit TrsmRoutine(const TrsmBatch& batch) : batch_(batch) {}

  std::string text() const override;
  Precision precision() const override { return batch_.shape.precision; }
  std::int64_t outputs() const override { return batch_.count; }
  std::int64_t terms() const override { return order(batch_.shape); }
  std::uint64_t number() const override;
  double bytes() const override { return traffic_bytes(batch_); }
  double kept_bytes() const override;
  bool is_trivial() const override { return batch_.shape.only_scales_c(); }
  std::int64_t unit(const GpuSide&) const override;
  void run(CpuSide& cpu, const CpuConfig& config, Interval outputs, bool* begun) const override;
  void require(CpuSide& cpu, const CpuConfig& config) const override;
  RoutineJob start(GpuSide& gpu, Interval outputs, Interval of_host, SharingMode sharing,
                   bool looked_at) const override;
  void publish(const RoutineJob& job, Interval outputs) const override;
  WrongOutput wrong(const RoutineJob& job, Interval outputs, bool all,
                    std::uint64_t seed) const override;
  std::vector<TriedProgram> programs(const GpuSide& gpu) const override;

 private:
  const TrsmBatch batch_;
};

/// All groups, one after another. \throws as run_level3().
Outcome run_trsm_batches(Engine& engine, const std::vector<TrsmBatch>& batches);

}  // namespace duoblas
