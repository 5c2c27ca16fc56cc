#include "bench/ablations.hpp"

#include <algorithm>
#include <cstdio>
#include <fstream>

#include <duoblas/error.hpp>

#include "gpu/kernels/embedded_kernels.hpp"

namespace duoblas {
namespace {

using Changes = std::vector<TextChange>;

// No sum has this value. So a store that depends on it is never made, but the compiler must keep
// the sums.
constexpr const char* kImpossible = "(part)-1.2345e30f";

Changes both(Changes first, const Changes& second) {
  first.insert(first.end(), second.begin(), second.end());
  return first;
}

// Local memory is filled once. Otherwise its contents would be undefined, and a compiler could
// leave out the multiply-adds.
const Changes& filled_once() {
  static const Changes changes = {
      {"tiled.cl", "  const tile_t tile = tile_of_group(m, n);\n",
       "  const tile_t tile = tile_of_group(m, n);\n"
       "  for (int i = get_local_id(0); i < MAX(1, LOCAL_ALL); i += ITEMS * GROUP_DEPTH)\n"
       "    slices[i] = (part)(i % 13) * (part)0.0625f;\n"
       "  barrier(CLK_LOCAL_MEM_FENCE);\n"}};
  return changes;
}

Changes tiled_without(char operand) {
  const std::string name(1, operand), fragment = operand == 'A' ? "x" : "y";
  const std::string vector = "(OF_A(vec))((part)(item + i) * (part)0.0625f)";
  Changes changes = {
      {"tiled.cl",
       "#define COPIED_" + name + " (LOCAL_" + name + " && COPIED(" + name + "_ALONG_K))",
       "#define COPIED_" + name + " 0"},
      {"tiled.cl", "#define FETCHED_" + name + " (LOCAL_" + name + " && !COPIED_" + name + ")",
       "#define FETCHED_" + name + " 0"}};
  if (operand == 'A') {
    changes.push_back({"tiled_multiply.clh",
                       "    f->x[i] = OF_A(direct_vector)(x PIXELS_A, depth, IMAGE_A, A_ALONG_K, "
                       "PACKS_A, t, begin + p);\n",
                       "    f->x[i] = " + vector + ";\n"});
    changes.push_back({"tiled_multiply.clh",
                       "OF_A(direct_vector)(x PIXELS_A, depth, IMAGE_A, A_ALONG_K, PACKS_A,\n"
                       "                                          row_of(place_of(item), i * "
                       "WIDTH_M),\n"
                       "                                          begin + s * GROUP_COLS + item % "
                       "GROUP_COLS);",
                       vector + ";"});
  } else {
    changes.push_back({"tiled_multiply.clh",
                       "    f->y[j] = OF_B(direct_vector)(y PIXELS_B, depth, IMAGE_B, B_ALONG_K, "
                       "PACKS_B, t, begin + p);\n",
                       "    f->y[j] = (OF_B(vec))((part)(item + j) * (part)0.0625f);\n"});
  }
  return changes;
}

Changes tiled_without_local_reads() {
  return {{"tiled.cl",
           "#define LOAD(fragments, slice, slot, p)                                               "
           "        \\\n"
           "  load_fragments(fragments, reads_a + (slot), reads_b + (slot), &x, &y, &rows "
           "BOTH_PIXELS_ON, \\\n"
           "                 depth, item, (slice)*K_UNROLL, p)\n",
           "#define LOAD(fragments, slice, slot, p) spare_fragments(fragments, item)\n"
           "inline __attribute__((always_inline)) void spare_fragments(fragments_t* f, int item) "
           "{\n"
           "#pragma unroll\n"
           "  for (int i = 0; i < (int)(sizeof(fragments_t) / sizeof(part)); ++i)\n"
           "    ((part*)f)[i] = (part)(item + i) * (part)0.0625f;\n"
           "}\n"}};
}

Changes tiled_without_stores() {
  const std::string store = "  STORE(&result, alpha, sum, beta, tile.row, tile.col);\n";
  return {{"tiled.cl", store,
           std::string("  part total = 0;\n"
                       "#pragma unroll\n"
                       "  for (int i = 0; i < TILE_ROWS * TILE_COLS * PARTS; ++i)\n"
                       "    total += ((const part*)sum)[i];\n"
                       "  if (total == ") +
               kImpossible + ")\n  " + store}};
}

// As if the loop over k were outside of the loops over a tile of C: after each slice of k, a tile's
// sums are added to C.
Changes tiled_with_k_outside() {
  return {{"tiled.cl", "      if (STEPS % 2) fragments[0] = fragments[1];\n#endif\n",
           "      if (STEPS % 2) fragments[0] = fragments[1];\n#endif\n"
           "      const result_t step = result_of(c, c_offset, ldc, m, n);\n"
           "      store_tile(&step, alpha, sum, turn == first ? beta : ONE, item, tile.row, "
           "tile.col);\n"
           "#pragma unroll\n"
           "      for (int i = 0; i < TILE_ROWS; ++i)\n"
           "#pragma unroll\n"
           "        for (int j = 0; j < TILE_COLS; ++j) sum[i][j] = 0;\n"},
          {"tiled.cl", "  const result_t result = result_of(c, c_offset, ldc, m, n);\n",
           "  if (first < end) return;\n"
           "  const result_t result = result_of(c, c_offset, ldc, m, n);\n"}};
}

// An argument of the call takes the place of the vectors, because constants would be folded.
Changes panel_without_a() {
  return {{"panel_multiply.clh", "const vec y = (vec)(A_AT(r, s, q));",
           "const vec y = (vec)((part)(lanes.to + 1));"},
          {"panel.cl", "PREFETCH_TO_L1(a[0] + A_AHEAD * A_STEP + i);", "(void)0;"}};
}

Changes panel_without_b() {
  return {{"panel_multiply.clh",
           "x[v] = narrow ? load_lanes(line, lanes.from, lanes.to) : VLOAD(line + v * LANES);",
           "x[v] = (vec)((part)(lanes.to + v));"},
          {"panel.cl", "PREFETCH(next);", "(void)0;"}};
}

Changes panel_without_stores() {
  return {{"panel.cl",
           "PREFETCH_TO_WRITE(call->c + (min(row + r, call->m - 1) * call->ldc + col) * PARTS + "
           "i);",
           "(void)0;"},
          {"panel.cl",
           "      if (to > 0) update(slice->beta, finished[r][v], c + v * LANES, from, to);\n",
           std::string("      const vec done = finished[r][v];\n"
                       "      if (to > 0 && ((const part*)&done)[0] == ") +
               kImpossible + ")\n        update(slice->beta, done, c + v * LANES, from, to);\n"}};
}

std::string changed(std::string text, const Ablation& ablation, const std::string& file) {
  for (const TextChange& change : ablation.changes) {
    if (change.file != file) continue;
    const std::size_t at = text.find(change.from);
    if (at == text.npos || text.find(change.from, at + 1) != text.npos)
      throw SettingError(
          "ablation \"" + ablation.title + "\": kernels/" + file +
          " does not have this once, which bench/ablations.cpp changes: " + change.from);
    text.replace(at, change.from.size(), change.to);
  }
  return text;
}

}  // namespace

std::vector<Ablation> ablations(KernelFamily family) {
  const bool tiled = family == KernelFamily::tiled;
  const Changes no_a = tiled ? tiled_without('A') : panel_without_a();
  const Changes no_b = tiled ? tiled_without('B') : panel_without_b();
  const Changes fill = tiled ? filled_once() : Changes{};
  std::vector<Ablation> all = {
      {"the whole kernel", "as it computes products", {}},
      {"no loads of A", "op(A) is not read from memory", both(no_a, fill)},
      {"no loads of B", "op(B) is not read from memory", both(no_b, fill)}};
  if (tiled) {
    all.push_back(
        {"no loads", "neither is; local memory is read as ever", both(both(no_a, no_b), fill)});
    all.push_back({"arithmetic alone", "no loads, and no reads of local memory; barriers stay",
                   both(both(both(no_a, no_b), fill), tiled_without_local_reads())});
  } else {
    all.push_back(
        {"arithmetic alone", "neither is read: multiply-adds of registers", both(no_a, no_b)});
  }
  all.push_back({"no stores", "C is not written, though its sums are computed",
                 tiled ? tiled_without_stores() : panel_without_stores()});
  if (tiled)
    all.push_back({"k outside", "C is read and written once per slice of k; right for whole tiles",
                   tiled_with_k_outside()});
  return all;
}

void write_kernels(const Ablation& ablation, const std::string& folder) {
  for (const std::string_view name : embedded_kernels()) {
    const std::string file(name), path = folder + "/" + file;
    std::ofstream out(path, std::ios::binary);
    out << changed(std::string(embedded_kernel(file)), ablation, file);
    if (!out.flush()) throw SettingError("cannot write " + path);
  }
}

std::string what_bounds(KernelFamily family, const std::vector<double>& times_whole) {
  const auto all = ablations(family);
  const auto rate = [&](const char* title) {
    const auto found = std::ranges::find(all, title, &Ablation::title);
    const auto place = static_cast<std::size_t>(found - all.begin());
    return found != all.end() && place < times_whole.size() ? times_whole[place] : 0;
  };
  // A smaller gain may have other reasons than what was left out.
  constexpr double little = 1.05;
  const double alone = rate("arithmetic alone");
  if (alone <= 0) return "Arithmetic alone could not be measured: what bounds it is not known.";
  char number[32];
  std::snprintf(number, sizeof number, "%.2f", alone);
  const std::string at_most = "arithmetic alone is " + std::string(number) + " times as fast";
  if (alone < little) return "Arithmetic bounds it: " + at_most + ".";
  std::string culprit;
  double most = little;
  for (const char* title : {"no loads of A", "no loads of B", "no loads", "no stores"})
    if (rate(title) >= most * (culprit.empty() ? 1 : little)) {
      most = rate(title);
      culprit = title;
    }
  if (culprit.empty())
    return "No single part bounds it: " + at_most +
           (family == KernelFamily::tiled ? ", reads of local memory and waits included." : ".");
  std::snprintf(number, sizeof number, "%.2f", most);
  return "With \"" + culprit + "\" it is " + number + " times as fast: that is the most of what " +
         "bounds it; " + at_most + ".";
}

}  // namespace duoblas
