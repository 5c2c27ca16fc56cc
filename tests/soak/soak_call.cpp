#include "soak/soak_call.hpp"

#include <algorithm>
#include <sstream>

#include "problem/op_letter.hpp"
#include "soak/draw.hpp"
#include "soak/lapack_call.hpp"

namespace duoblas::soak {
namespace {

// Mostly small, so that many calls are made; some where tiles and blocks have edges.
std::int64_t largest_extent(Draw& draw) {
  const std::int64_t kind = draw.below(4000);
  if (kind < 2) return 1100;
  if (kind < 120) return 300;
  if (kind < 700) return 130;
  return kind < 2400 ? 40 : 12;
}

// Whose reference has loops that nobody vectorised.
constexpr std::int64_t largest_of_lapack = 300;

std::int64_t extent(Draw& draw, std::int64_t largest) {
  if (draw.one_in(30)) return draw.below(2);
  if (draw.one_in(8)) largest = std::min<std::int64_t>(largest, 9);
  if (draw.one_in(4)) {  // beside a multiple of a tile's sides
    const std::int64_t step = draw.pick<std::int64_t>({8, 16, 32, 64});
    const std::int64_t near = step * draw.between(1, 1 + largest / step) + draw.between(-1, 1);
    return std::min(largest, near);
  }
  return draw.between(1, largest);
}

std::complex<double> scalar(Draw& draw, bool complex) {
  constexpr double plain[] = {0, 1, -1};
  const auto general = [&] { return draw.on_grid(20) * 2; };
  if (!draw.one_in(2)) return draw.pick<double>(plain);
  if (!complex || draw.one_in(4)) return general();
  return draw.one_in(6) ? std::complex<double>(0, general())
                        : std::complex<double>(general(), general());
}

// Of the rank-k updates each has two ops; of real ones both transposes are the same.
Op op_of(Draw& draw, const SoakCall& call) {
  if (!call.routine || !updates_triangle(*call.routine) || !call.is_complex())
    return draw.pick({Op::none, Op::transpose, Op::conj_transpose});
  return draw.pick({Op::none, is_hermitian(*call.routine) ? Op::conj_transpose : Op::transpose});
}

void draw_routine(Draw& draw, SoakCall& call, const std::string& types) {
  const auto letter = types[static_cast<std::size_t>(draw.below(std::ssize(types)))];
  call.precision = static_cast<Precision>(letter);
  if (draw.one_in(2)) return;
  constexpr Routine of_reals[] = {Routine::symm, Routine::syrk, Routine::syr2k, Routine::trmm,
                                  Routine::trsm};
  constexpr Routine hermitian[] = {Routine::hemm, Routine::herk, Routine::her2k};
  call.routine = call.is_complex() && draw.one_in(3) ? draw.pick<Routine>(hermitian)
                                                     : draw.pick<Routine>(of_reals);
}

void draw_scalars(Draw& draw, SoakCall& call) {
  const bool herk = call.routine == Routine::herk;
  call.alpha = scalar(draw, call.is_complex() && !herk);
  if (draw.one_in(2) && call.alpha == 0.0) call.alpha = 1;  // little is computed then
  call.beta = scalar(draw, call.is_complex() && !herk && call.routine != Routine::her2k);
  if (call.in_place()) call.beta = 0;
}

void draw_memory(Draw& draw, SoakCall& call) {
  call.arrangement = draw.one_in(4) ? draw.pick({Arrangement::adjacent, Arrangement::interleaved})
                                    : Arrangement::separate;
  call.home =
      draw.one_in(4) ? draw.pick({Home::library, Home::registered, Home::mapped}) : Home::heap;
  for (std::size_t i = 0; i < 3; ++i) {
    if (draw.one_in(2)) call.pad[i] = draw.one_in(5) ? draw.below(70) : draw.below(9);
    if (draw.one_in(2)) call.offset[i] = draw.below(17);
  }
}

// Not of trmm and trsm: whether zeros outside a triangle meet the numbers differs between BLAS.
void draw_plant(Draw& draw, SoakCall& call) {
  if (call.in_place() || !draw.one_in(12)) return;
  call.plant = draw.pick({Plant::in_a, Plant::in_b, Plant::in_c});
  call.plants_infinity = draw.one_in(2);
}

}  // namespace

Level3Problem SoakCall::shape() const {
  Level3Problem p;
  p.routine = routine.value_or(Routine::symm);
  p.precision = precision;
  p.side = side;
  p.uplo = uplo;
  p.op = op_a;
  p.diag = diag;
  p.m = m;
  p.n = n;
  p.k = k;
  p.alpha = alpha;
  p.beta = beta;
  return p;
}

StoredShape SoakCall::stored(int operand) const {
  if (routine) {
    const Level3Problem p = shape();
    if (operand == 0) return stored_a(p);
    if (operand == 1) return has_own_b() ? stored_b(p) : StoredShape{};
    return stored_c(p);
  }
  const auto turned = [](Op op, StoredShape s) {
    return op == Op::none ? s : StoredShape{s.cols, s.rows};
  };
  if (operand == 0) return turned(op_a, {m, k});
  if (operand == 1) return turned(op_b, {k, n});
  return {m, n};
}

std::int64_t SoakCall::depth() const {
  if (!routine) return k;
  const Level3Problem p = shape();
  return updates_triangle(*routine) ? k * (is_rank_2k(*routine) ? 2 : 1) : order(p);
}

SoakCall draw_call(std::uint64_t seed, std::uint64_t number, const CallLimits& limits) {
  Draw draw(seed, number);
  SoakCall call;
  call.seed = seed;
  call.number = number;
  draw_routine(draw, call, limits.types);
  call.layout = draw.pick({Layout::row_major, Layout::column_major});
  call.op_a = op_of(draw, call);
  call.op_b = op_of(draw, call);
  call.side = draw.pick({Side::left, Side::right});
  call.uplo = draw.pick({Uplo::upper, Uplo::lower});
  call.diag = draw.pick({Diag::non_unit, Diag::unit});
  const std::int64_t largest = std::min(limits.largest, largest_extent(draw));
  call.m = extent(draw, largest);
  call.n = extent(draw, largest);
  call.k = extent(draw, largest);
  if (call.routine && updates_triangle(*call.routine)) call.m = call.n;
  draw_scalars(draw, call);
  draw_memory(draw, call);
  draw_plant(draw, call);
  if (draw.one_in(8)) {
    call.lapack = draw_lapack_routine(draw);
    call.routine.reset();
    call.home = Home::heap;
    for (std::int64_t* extent : {&call.m, &call.n, &call.k})
      *extent = std::min(*extent, largest_of_lapack);
    return call;
  }
  if (!call.routine) {
    if (draw.one_in(6))
      call.entry_point = draw.pick({EntryPoint::job, EntryPoint::prepared_a, EntryPoint::prepared_b,
                                    EntryPoint::prepared_both});
    if (draw.one_in(30)) {
      call.b_is_a = true;
      call.n = call.k = call.m;
    }
  }
  return call;
}

std::string text(const SoakCall& c) {
  std::ostringstream out;
  if (c.lapack) {
    out << name(*c.lapack, c.precision) << (c.uplo == Uplo::upper ? " upper " : " lower ")
        << letter(c.op_a) << " m=" << c.m << " n=" << c.n << " k=" << c.k << " A pad " << c.pad[0]
        << " B+" << c.offset[1] << " pad " << c.pad[1];
    return out.str();
  }
  out << letter(c.precision) << (c.routine ? name(*c.routine) : "gemm")
      << (c.layout == Layout::row_major ? " row" : " column") << "-major ";
  if (!c.routine) {
    out << letter(c.op_a) << letter(c.op_b);
  } else {
    out << (c.side == Side::left ? "left " : "right ")
        << (c.uplo == Uplo::upper ? "upper " : "lower ") << letter(c.op_a)
        << (c.diag == Diag::unit ? " unit" : "");
  }
  out << " m=" << c.m << " n=" << c.n << " k=" << c.k << " alpha=" << c.alpha << " beta=" << c.beta;
  constexpr const char* operand[] = {"A", "B", "C"};
  for (std::size_t i = 0; i < 3; ++i)
    out << ' ' << operand[i] << '+' << c.offset[i] << " pad " << c.pad[i];
  constexpr const char* arrangements[] = {"separate", "adjacent", "interleaved"};
  constexpr const char* homes[] = {"heap", "duoblas_malloc", "registered", "mapped file"};
  constexpr const char* plants[] = {"", " in A", " in B", " in C"};
  constexpr const char* entry_points[] = {"", ", as a job", ", prepared A", ", prepared B",
                                          ", prepared A and B"};
  out << ", " << arrangements[static_cast<int>(c.arrangement)] << ", "
      << homes[static_cast<int>(c.home)] << (c.b_is_a ? ", B is A" : "");
  if (c.plant != Plant::nothing)
    out << (c.plants_infinity ? ", infinity" : ", NaN") << plants[static_cast<int>(c.plant)];
  out << entry_points[static_cast<int>(c.entry_point)];
  return out.str();
}

}  // namespace duoblas::soak
