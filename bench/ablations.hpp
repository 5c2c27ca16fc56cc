// Kernels with one thing left out, to see what bounds them: changes of the kernels' text, which
// itself stays as it is.
#pragma once

#include <string>
#include <vector>

#include "kernel_space/kernel_params.hpp"

namespace duoblas {

/// In the text of kernels/`file`, where `from` stands exactly once.
struct TextChange {
  std::string file, from, to;
};

struct Ablation {
  std::string title;    ///< a few words
  std::string meaning;  ///< one line
  std::vector<TextChange> changes;
};

/// The whole kernel first, then: without the loads of A from memory, of B, of both; without reads
/// of local memory either (tiled), which leaves arithmetic alone; without the stores of C. What
/// such a kernel computes is wrong, and it computes as much as the whole one. Last another order
/// of accumulation (tiled): the loop over k is outside, as GATLAS searches it, and C is read and
/// written once per slice. (R. Garg and L. Hendren find the limits of RaijinCL's kernels so, PDP
/// 2014.)
std::vector<Ablation> ablations(KernelFamily family);

/// All files of kernels/ with these changes. \throws SettingError where a text to be changed is not
/// there once: then the kernels have changed, and this file was forgotten.
void write_kernels(const Ablation& ablation, const std::string& folder);

/// The rate of each ablation over the whole kernel's, in the order of ablations(); 0: not measured.
/// One sentence on what bounds the kernel.
std::string what_bounds(KernelFamily family, const std::vector<double>& times_whole);

}  // namespace duoblas
