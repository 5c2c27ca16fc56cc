#include "gpu/streams/trsm_batched.hpp"

#include <algorithm>
#include <complex>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <duoblas/error.hpp>

#include "check/level3_check.hpp"
#include "gpu/kernels/kernel_arguments.hpp"
#include "gpu/kernels/trial_numbers.hpp"
#include "gpu/streams/routine_start.hpp"
#include "gpu/streams/update_job.hpp"
#include "memory/batch_staging.hpp"
#include "problem/element_types.hpp"
#include "problem/rounding.hpp"
#include "problem/triangle_rows.hpp"

namespace duoblas {
namespace {

/// How a work-group is divided: right-hand sides of each of so many solves, and lines at a time.
struct Shape {
  std::int64_t columns, members, block;
};

// The lines of a block are in registers. A program of either shape does any problem.
Shape shape_of(const Level3Problem& p) {
  const std::int64_t block = p.precision == Precision::z ? 8 : 16;
  return free_extent(p) <= 16 ? Shape{16, 4, block} : Shape{64, 1, block};
}

// The program of either shape.
struct TrsmProgram {
  Precision precision;
  Shape shape;

  ProgramNumber number() const {
    return program_number({field_of(RoutineProgramKind::trsm_batched),
                           {static_cast<int>(precision_index(precision)), 4},
                           {static_cast<int>(shape.members), 16}});
  }

  ProgramText text() const {
    ProgramOptions options(precision, 1);
    options.define("COLUMNS", shape.columns).define("MEMBERS", shape.members);
    options.define("BLOCK", shape.block);
    return {std::string(1, letter(precision)) + "trsm_batched, " + std::to_string(shape.columns) +
                " right-hand sides of " + std::to_string(shape.members),
            {"types.clh", "trsm_batched.cl"},
            options.text(),
            {"trsm_batched"}};
  }

  std::string what_is_wrong(const TargetDevice& device, BuiltProgram& built,
                            std::uint64_t seed) const;
};

TrsmProgram program_of(const Level3Problem& p) {
  return {p.precision, shape_of(p)};
}

/// Where the kernel finds a lower triangle and its right-hand sides, in elements from A and B.
struct Walk {
  std::int64_t a_first, a_down, a_across, b_first, b_down, b_across;
};

// X op(A) = B is op(A)' X' = B'. An upper triangle is a lower one from its last line on.
Walk walk_of(const Level3Problem& p, std::int64_t lda, std::int64_t ldb) {
  const bool straight = (p.side == Side::left) == (p.op == Op::none);
  const bool lower = (p.uplo == Uplo::lower) == straight;
  Walk walk{0, lda, 1, 0, ldb, 1};
  if (!straight) std::swap(walk.a_down, walk.a_across);
  if (p.side == Side::right) std::swap(walk.b_down, walk.b_across);
  if (lower) return walk;
  walk.a_first = (order(p) - 1) * (walk.a_down + walk.a_across);
  walk.b_first = (order(p) - 1) * walk.b_down;
  walk.a_down = -walk.a_down;
  walk.a_across = -walk.a_across;
  walk.b_down = -walk.b_down;
  return walk;
}

cl::Event launch(cl::Queue& queue, const Level3Problem& p, const Shape& shape, BuiltProgram& built,
                 const TrsmOperands& operands, Interval of) {
  const std::size_t element = element_size(p.precision);
  const auto ld = [&](const BoundOperand& matrix) {
    return static_cast<std::int64_t>(matrix.pitch_bytes / element);
  };
  const auto first = [&](const BoundOperand& matrix, std::int64_t stride, std::int64_t begin) {
    return static_cast<std::uint64_t>(static_cast<std::int64_t>(matrix.offset_bytes / element) +
                                      of.first * stride + begin);
  };
  const Walk walk = walk_of(p, ld(operands.a), ld(operands.b));
  cl::Kernel& kernel = built.kernel("trsm_batched");
  KernelArguments(kernel, p.precision)
      .size(order(p))
      .size(free_extent(p))
      .size(of.count)
      .size(p.op == Op::conj_transpose)
      .size(p.diag == Diag::unit)
      .scalar(p.alpha)
      .buffer(*operands.a.buffer)
      .offset(first(operands.a, operands.a_stride, walk.a_first))
      .distance(walk.a_down)
      .distance(walk.a_across)
      .distance(operands.a_stride)
      .buffer(*operands.b.buffer)
      .offset(first(operands.b, operands.b_stride, walk.b_first))
      .distance(walk.b_down)
      .distance(walk.b_across)
      .distance(operands.b_stride)
      .buffer(operands.places ? *operands.places : *operands.b.buffer)
      .size(operands.places ? of.first : -1);
  const auto columns = static_cast<std::size_t>(shape.columns);
  const auto members = static_cast<std::size_t>(shape.members);
  return queue.submit(kernel,
                      {{static_cast<std::size_t>(parts(free_extent(p), shape.columns)) * columns,
                        static_cast<std::size_t>(parts(of.count, shape.members)) * members},
                       {columns, members}});
}

// Lines above a block are read again for it.
double bytes_of_solve(const Level3Problem& p, const Shape& shape) {
  const double again = static_cast<double>(order(p)) / static_cast<double>(2 * shape.block);
  return traffic_bytes(TrsmBatch{p, {}, {}, 1}) * (1 + again);
}

cl::Event launch_all(const TargetDevice& device, cl::Queue& queue, const Level3Problem& p,
                     const Shape& shape, BuiltProgram& built, const TrsmOperands& operands,
                     std::int64_t count) {
  const std::int64_t members = shape.members;
  const std::int64_t each =
      units_of_launch(device, bytes_of_solve(p, shape) * static_cast<double>(members),
                      most_groups_down) *
      members;
  return in_launches(count, each, [&](std::int64_t first, std::int64_t some) {
    return launch(queue, p, shape, built, operands, {first, some});
  });
}

// Does drawn solves, with NaN around and between all that may be read or written.
std::string tried_solves(const TargetDevice& device, Level3Problem p, const Shape& shape,
                         std::int64_t count, bool by_places, BuiltProgram& built,
                         std::mt19937_64& engine) {
  constexpr std::int64_t gap = 3;
  p.lda = order(p) + gap;
  p.ldc = p.n + gap;
  TrialMatrix a(order(p), order(p), p.lda, gap, p.precision, count);
  TrialMatrix b(p.m, p.n, p.ldc, gap + 1, p.precision, count);
  b.draw(engine);
  std::vector<Level3Check> checks;
  std::vector<std::uint64_t> places;
  for (std::int64_t s = 0; s < count; ++s) {
    for (std::int64_t i = 0; i < order(p); ++i) {
      const auto [begin, end] = stored_of(p.uplo, i, order(p));
      for (std::int64_t k = begin; k < end; ++k)
        if (k != i || p.diag == Diag::non_unit) a.numbers().set(a.place(i, k, s), engine);
    }
    p.a = a.at(0, s);
    p.c = b.at(0, s);
    if (can_check(p)) checks.emplace_back(p, engine(), 1.0, std::vector<Interval>{});
    places.push_back(static_cast<std::uint64_t>(s * a.stride()));
    places.push_back(static_cast<std::uint64_t>(s * b.stride()));
  }
  const TrialMatrix old = b;
  cl::Queue queue(device.context);
  TrsmOperands operands{a.on_device(device.context, queue), b.on_device(device.context, queue),
                        a.stride(), b.stride()};
  if (by_places) {
    operands.places = copied_to(device.context, queue, places);
    operands.a_stride = operands.b_stride = 0;
  }
  run_unless_hung(
      [&] {
        const cl::Event done = launch_all(device, queue, p, shape, built, operands, count);
        queue.finish();
        queue.check_ended(done);
        b.read_back(operands.b, queue);
      },
      a.numbers(), b.numbers());
  for (Level3Check& check : checks)
    if (const auto wrong = check.compare().wrong) return check.describe(*wrong);
  const auto is_zero = [](char byte) { return byte == 0; };
  for (std::int64_t s = 0; p.only_scales_c() && s < count; ++s)
    if (!std::ranges::all_of(b.values(s), is_zero)) return "B is not zero where alpha is";
  return b.differs_beside(old) ? "it writes between the rows of B" : "";
}

// Every side, triangle and op, whole blocks and edges, one element, several groups.
std::string TrsmProgram::what_is_wrong(const TargetDevice& device, BuiltProgram& built,
                                       std::uint64_t seed) const {
  const std::int64_t block = shape.block, columns = shape.columns, some = shape.members + 1;
  struct Case {
    Side side;
    Uplo uplo;
    Op op;
    Diag diag;
    std::int64_t order, sides, count;
    double alpha;
    bool by_places;
  };
  const Case cases[] = {
      {Side::left, Uplo::lower, Op::none, Diag::non_unit, 1, 1, 1, 1, false},
      {Side::left, Uplo::upper, Op::none, Diag::unit, block, columns, some, 1.5, false},
      {Side::right, Uplo::upper, Op::transpose, Diag::non_unit, 2 * block + 3, columns, some, -0.5,
       true},
      {Side::left, Uplo::lower, Op::conj_transpose, Diag::non_unit, 2 * block, columns - 3, 2, 1,
       true},
      {Side::right, Uplo::lower, Op::none, Diag::unit, block + 1, columns - 1, some, 0.75, false},
      {Side::right, Uplo::upper, Op::conj_transpose, Diag::non_unit, 3, 2, 1, 2, false},
      {Side::left, Uplo::lower, Op::none, Diag::non_unit, block + 2, columns, 1, 0, false}};
  std::mt19937_64 engine(seed);
  for (const Case& c : cases) {
    Level3Problem p;
    p.routine = Routine::trsm;
    p.precision = precision;
    p.side = c.side;
    p.uplo = c.uplo;
    p.op = c.op == Op::conj_transpose && !is_complex(p.precision) ? Op::transpose : c.op;
    p.diag = c.diag;
    // The wide kernel's second strip of right-hand sides.
    const std::int64_t sides = shape.members == 1 && c.sides > 2 ? c.sides + 24 : c.sides;
    p.m = c.side == Side::left ? c.order : sides;
    p.n = c.side == Side::left ? sides : c.order;
    p.alpha = is_complex(p.precision) && c.alpha != 0 ? std::complex<double>(c.alpha, 0.25)
                                                      : std::complex<double>(c.alpha);
    std::string wrong = tried_solves(device, p, shape, c.count, c.by_places, built, engine);
    if (!wrong.empty()) return wrong;
  }
  return {};
}

OperandOfGroup a_of(const TrsmBatch& batch) {
  const Level3Problem& p = batch.shape;
  return {with_distance(batch.a, batch.count), order(p), order(p), p.lda, batch.count, p.precision};
}

OperandOfGroup b_of(const TrsmBatch& batch) {
  const Level3Problem& p = batch.shape;
  return {with_distance(batch.b, batch.count), p.m, p.n, p.ldc, batch.count, p.precision};
}

// The triangles of A, on the device: rows without gaps. What is not stored is not read.
void stage_triangles(RoutineJob::State& state, const OperandOfGroup& all, Uplo uplo,
                     TrsmOperands& operands) {
  const OperandOfGroup a = all.is_shared() ? all.part(0, 1) : all;
  const std::size_t bytes = static_cast<std::size_t>(a.count * a.rows) * a.row_bytes();
  require_room(*state.device, bytes);
  std::vector<std::byte>& dense = state.host_copies.emplace_back(bytes);
  with_element_type(a.precision, [&](auto zero) {
    using T = decltype(zero);
    T* to = reinterpret_cast<T*>(dense.data());
    for (std::int64_t s = 0; s < a.count; ++s)
      for (std::int64_t row = 0; row < a.rows; ++row, to += a.columns)
        copy_stored(static_cast<const T*>(a.at.at(s)) + row * a.ld, uplo, row, a.columns, to);
  });
  const std::int64_t elements = a.count * a.rows * a.columns;
  state.inputs.push_back(
      state.device->memory.staged_input(dense_rect(dense.data(), elements, a.precision), bytes));
  operands.a = state.inputs.back();
  operands.a.pitch_bytes = a.row_bytes();
  operands.a_stride = all.is_shared() ? 0 : a.rows * a.columns;
}

}  // namespace

std::int64_t solves_at_once(const Level3Problem& shape) {
  return shape_of(shape).members;
}

TriedProgram trsm_program(const Level3Problem& p) {
  return tried(program_of(p));
}

cl::Event submit_trsm_batch(OpenedDevice& device, const Level3Problem& shape, std::int64_t count,
                            const TrsmOperands& operands) {
  require_type(device, shape.precision);
  return launch_all(device, device.queue, shape, shape_of(shape),
                    device.kernels.get(program_of(shape)), operands, count);
}

RoutineJob start_trsm_batch(const std::shared_ptr<OpenedDevice>& opened, const TrsmBatch& part,
                            SharingMode sharing, const TrsmBatch& of_host, bool looked_at) {
  const Level3Problem p = part.shape;
  require_computable(*opened, p.precision, p.m, p.n);
  return started(opened, [&](RoutineJob::State& state) {
    OpenedDevice& device = *opened;
    const std::size_t element = element_size(p.precision);
    // A trial that hangs does not write to the caller's memory.
    BuiltProgram& built = device.kernels.get(program_of(p));
    const OperandOfGroup a = a_of(part), b = b_of(part);
    const std::size_t of_one = static_cast<std::size_t>(p.m) * b.row_bytes();
    const std::vector<HostRect> of_others = b_of(of_host).rects();
    TrsmOperands operands;
    bool begun = true;
    const std::optional<HostRect> rows = b.all_rows();
    const std::int64_t unit = solves_at_once(p);
    if (rows && !copies(sharing)) {
      begun = begin_update(state, *rows, sharing, of_others,
                           looked_at ? 0 : static_cast<std::size_t>(unit) * of_one);
    } else {
      begin_apart(state, rect_of(nullptr, b.count * p.m, p.n, p.n, p.precision),
                  [&](void* dense) { gather(b, dense, b.row_bytes()); });
    }
    operands.b = state.result->operand();
    operands.b_stride = state.host_result.empty() ? b.at.stride : p.m * p.n;
    const auto memory_of_a = a.all_memory();
    if (memory_of_a && !copies(sharing)) {
      std::vector<HostRect> written = b.rects();
      written.insert(written.end(), of_others.begin(), of_others.end());
      operands.a = device.memory.inputs_in_place(*memory_of_a, {}, nullptr, written).a;
      operands.a.pitch_bytes = static_cast<std::size_t>(p.lda) * element;
      operands.a_stride = a.at.stride;
      if (operands.a.buffer) state.inputs.push_back(operands.a);
    }
    if (!operands.a.buffer) stage_triangles(state, a, p.uplo, operands);
    const auto launch = [&device, &built, p, operands, element](Interval of) {
      TrsmOperands some = operands;
      some.a = shifted(operands.a, 0, of.first * operands.a_stride, element);
      some.b = shifted(operands.b, 0, of.first * operands.b_stride, element);
      return launch_all(device, device.queue, p, shape_of(p), built, some, of.count);
    };
    const auto rows_of = [all = rows.value_or(HostRect{}), p](Interval of) {
      HostRect rect = all;
      rect.data =
          static_cast<char*>(all.data) + static_cast<std::size_t>(of.first * p.m) * all.pitch;
      rect.rows = static_cast<std::size_t>(of.count * p.m);
      return rect;
    };
    enqueue_update(
        state, begun, {part.count, unit, of_one}, rows_of_update(state, part.count, unit), rows_of,
        [whole = operands.b, p](Interval of) { return shifted(whole, of.first * p.m, 0, 1); },
        launch);
  });
}

void publish_trsm_batch(const RoutineJob& job, const TrsmBatch& part) {
  const OperandOfGroup b = b_of(part);
  if (const void* solutions = job.results()) scatter(solutions, b.row_bytes(), b);
}

}  // namespace duoblas
