// Arguments of the rest of level 3: what is refused, and what they become.
#include "problem/caller_level3.hpp"

#include <gtest/gtest.h>

#include <sstream>
#include <string>

#include "support/refused_argument.hpp"

namespace duoblas {
namespace {

double level3_memory[100];

// The triangular, symmetric or Hermitian matrix is 3 x 3, the other extent 5; every leading
// dimension is the least.
CallerLevel3 legal(Routine routine, Layout layout) {
  CallerLevel3 call{layout, {}};
  Level3Problem& p = call.args;
  p.routine = routine;
  p.precision = Precision::z;
  p.m = 3;
  p.n = updates_triangle(routine) ? 3 : 5;
  p.k = updates_triangle(routine) ? 5 : 0;
  const bool rows = layout == Layout::row_major;
  p.lda = updates_triangle(routine) && rows ? 5 : 3;
  p.ldb = updates_triangle(routine) ? p.lda : rows ? 5 : 3;
  p.ldc = updates_triangle(routine) ? 3 : rows ? 5 : 3;
  p.a = p.b = p.c = level3_memory;
  return call;
}

void spoil(CallerLevel3& call, const std::string& name) {
  Level3Problem& p = call.args;
  const bool in_place = is_in_place(p.routine);
  if (name == "layout") call.layout = static_cast<Layout>(7);
  if (name == "side") p.side = static_cast<Side>(-1);
  if (name == "uplo") p.uplo = static_cast<Uplo>(-1);
  if (name == "op") p.op = static_cast<Op>(-1);
  if (name == "diag") p.diag = static_cast<Diag>(-1);
  if (name == "m") p.m = -1;
  if (name == "n") p.n = -1;
  if (name == "k") p.k = -1;
  if (name == "a") p.a = nullptr;
  if (name == "lda") --p.lda;
  if (name == "b") (in_place ? p.c : const_cast<void*&>(p.b)) = nullptr;
  if (name == "ldb") --(in_place ? p.ldc : p.ldb);
  if (name == "c") p.c = nullptr;
  if (name == "ldc") --p.ldc;
}

struct Arguments {
  Routine routine;
  const char* names;  ///< in the order of the CBLAS
};

constexpr Arguments arguments[] = {
    {Routine::symm, "layout side uplo m n alpha a lda b ldb beta c ldc"},
    {Routine::hemm, "layout side uplo m n alpha a lda b ldb beta c ldc"},
    {Routine::syrk, "layout uplo op n k alpha a lda beta c ldc"},
    {Routine::herk, "layout uplo op n k alpha a lda beta c ldc"},
    {Routine::syr2k, "layout uplo op n k alpha a lda b ldb beta c ldc"},
    {Routine::her2k, "layout uplo op n k alpha a lda b ldb beta c ldc"},
    {Routine::trmm, "layout side uplo op diag m n alpha a lda b ldb"},
    {Routine::trsm, "layout side uplo op diag m n alpha a lda b ldb"}};

TEST(Level3Check, RefusesEachIllegalArgumentByItsNumberAndName) {
  for (const auto& [routine, names] : arguments) {
    for (const Layout layout : {Layout::row_major, Layout::column_major}) {
      EXPECT_NO_THROW(check(legal(routine, layout)));
      std::istringstream list(names);
      int position = 0;
      for (std::string name; list >> name;) {
        ++position;
        if (name == "alpha" || name == "beta") continue;
        CallerLevel3 call = legal(routine, layout);
        spoil(call, name);
        const test::RefusedArgument refused = test::refused_argument([&] { check(call); });
        EXPECT_EQ(refused.position, position) << duoblas::name(routine) << ", " << name;
        EXPECT_EQ(refused.name, name) << duoblas::name(routine);
      }
    }
  }
}

TEST(Level3Check, KnowsWhichOpsKeepARankUpdateSymmetricOrHermitian) {
  const auto accepts = [](Routine routine, Precision precision, Op op) {
    CallerLevel3 call = legal(routine, Layout::row_major);
    call.args.precision = precision;
    call.args.op = op;
    call.args.lda = call.args.ldb = 5;
    const test::RefusedArgument refused = test::refused_argument([&] { check(call); });
    if (refused.position == 0) return true;
    EXPECT_EQ(refused.name, "op");
    return false;
  };
  for (const Routine routine : {Routine::syrk, Routine::syr2k}) {
    EXPECT_TRUE(accepts(routine, Precision::z, Op::transpose));
    EXPECT_FALSE(accepts(routine, Precision::z, Op::conj_transpose));
    EXPECT_TRUE(accepts(routine, Precision::d, Op::conj_transpose)) << "the same as transpose";
  }
  for (const Routine routine : {Routine::herk, Routine::her2k}) {
    EXPECT_TRUE(accepts(routine, Precision::c, Op::conj_transpose));
    EXPECT_FALSE(accepts(routine, Precision::c, Op::transpose));
  }
}

TEST(Level3Check, AllowsNullWhereNothingIsReadThrough) {
  for (const auto& [routine, names] : arguments) {
    CallerLevel3 call = legal(routine, Layout::column_major);
    call.args.a = call.args.b = nullptr;
    call.args.alpha = 0.0;
    EXPECT_NO_THROW(check(call)) << names;
    call.args.alpha = 1.0;
    call.args.n = 0;
    call.args.c = nullptr;
    EXPECT_NO_THROW(check(call)) << names;
  }
}

TEST(Level3RowMajor, TurnsColumnMajorCallsIntoTheirTransposes) {
  CallerLevel3 symm = legal(Routine::symm, Layout::column_major);
  const Level3Problem s = to_row_major(symm);
  EXPECT_EQ(s.side, Side::right);
  EXPECT_EQ(s.uplo, Uplo::lower);
  EXPECT_EQ(s.m, 5);
  EXPECT_EQ(s.n, 3);

  CallerLevel3 trsm = legal(Routine::trsm, Layout::column_major);
  trsm.args.op = Op::conj_transpose;
  EXPECT_EQ(to_row_major(trsm).op, Op::conj_transpose) << "the factor stays as it is";

  CallerLevel3 her2k = legal(Routine::her2k, Layout::column_major);
  her2k.args.alpha = {1, 2};
  const Level3Problem h = to_row_major(her2k);
  EXPECT_EQ(h.op, Op::conj_transpose);
  EXPECT_EQ(h.alpha, std::complex<double>(1, -2));
  EXPECT_EQ(to_row_major(legal(Routine::syrk, Layout::column_major)).op, Op::transpose);
}

TEST(Level3Flops, AreThoseOfTheTextbook) {
  Level3Problem p;
  p.m = 100;
  p.n = 50;
  p.k = 30;
  p.routine = Routine::symm;
  EXPECT_EQ(flops(p), 2.0 * 100 * 100 * 50);
  p.side = Side::right;
  EXPECT_EQ(flops(p), 2.0 * 50 * 50 * 100);
  p.routine = Routine::trsm;
  EXPECT_EQ(flops(p), 1.0 * 50 * 50 * 100);
  p.routine = Routine::syrk;
  EXPECT_EQ(flops(p), 1.0 * 50 * 50 * 30);
  p.routine = Routine::her2k;
  p.precision = Precision::c;
  EXPECT_EQ(flops(p), 8.0 * 50 * 50 * 30);
}

}  // namespace
}  // namespace duoblas
