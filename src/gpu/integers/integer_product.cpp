#include "gpu/integers/integer_product.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>

#include "gpu/device/unsuited_numbers.hpp"
#include "gpu/integers/integer_blocks.hpp"
#include "gpu/kernels/kernel_arguments.hpp"
#include "gpu/kernels/launch.hpp"
#include "problem/rounding.hpp"

namespace duoblas {
namespace {

// Rows of op(A), or columns of op(B), in the device's memory.
struct Lines {
  const cl::Buffer* from;
  std::uint64_t offset;           // elements
  std::uint64_t line_step, step;  // elements from line to line, and from number to number
  const cl::Buffer* to;
  std::int64_t count, padded;
  bool are_columns;
};

Lines lines_of(const BoundOperand& bound, bool lie_along_rows, std::int64_t first,
               std::int64_t count, std::int64_t tile, const cl::Buffer& to, bool are_columns) {
  constexpr std::size_t element = sizeof(double);
  const std::uint64_t ld = bound.pitch_bytes / element;
  Lines lines{
      bound.buffer.get(), bound.offset_bytes / element, ld, 1, &to, count, round_up(count, tile),
      are_columns};
  if (!lie_along_rows) std::swap(lines.line_step, lines.step);
  lines.offset += static_cast<std::uint64_t>(first) * lines.line_step;
  return lines;
}

// Of a work-item of kernels/integers_certify.cl.
constexpr std::int64_t rows_of_certified = 4;

std::size_t size(std::int64_t extent) {
  return static_cast<std::size_t>(extent);
}

// One block's phases, in their order.
class Phases {
 public:
  Phases(cl::Queue& queue, BuiltProgram& built, std::int64_t depth, const IntegerTile& tile,
         const Lines& a, const Lines& b, IntegerScratch& scratch)
      : queue_(queue),
        built_(built),
        tile_(tile),
        depth_(depth),
        padded_depth_(round_up(depth, tile.depth)),
        a_(a),
        b_(b),
        scratch_(scratch) {}

  void measure() {
    for (const Lines* lines : {&a_, &b_}) {
      // As in kernels/integers_measure.cl.
      const std::size_t of_group = lines->step == 1 ? 4 : 8;
      enqueue("measure",
              with_lines("measure", *lines)
                  .size(lines->padded)
                  .buffer(*scratch_.state)
                  .size(lines->are_columns ? 1 : 0),
              {{size(lines->padded) / of_group * integer_measuring_items, 1},
               {integer_measuring_items, 1}});
    }
  }
  void certify() {
    enqueue(
        "bound",
        sides(of("bound").size(padded_depth_)).buffer(*scratch_.products).buffer(*scratch_.state),
        tiles(1));
    enqueue("certify",
            sides(of("certify").size(a_.count).size(b_.count).size(depth_))
                .buffer(*scratch_.products)
                .buffer(*scratch_.state),
            elements(b_.padded, a_.padded / rows_of_certified));
  }
  void multiply(const IntegerBlocks& blocks) {
    for (int first = 0; first < integer_moduli; first += blocks.planes) {
      const int count = std::min(blocks.planes, integer_moduli - first);
      for (const Lines* lines : {&a_, &b_})
        enqueue("residues",
                with_lines("residues", *lines)
                    .size(lines->padded)
                    .size(lines->are_columns ? 1 : 0)
                    .size(first)
                    .size(count)
                    .buffer(*scratch_.state),
                words_of(*lines));
      for (int plane = 0; plane < count; plane += blocks.planes_of_launch)
        enqueue("multiply",
                sides(of("multiply").size(padded_depth_))
                    .buffer(*scratch_.products)
                    .size(first)
                    .size(plane)
                    .buffer(*scratch_.state),
                tiles(std::min(blocks.planes_of_launch, count - plane)));
    }
  }
  /// `c`: of the block.
  cl::Event store(double alpha, double beta, const BoundOperand& c) {
    sides(of("store").size(a_.count).size(b_.count))
        .buffer(*scratch_.products)
        .offset(std::bit_cast<std::uint64_t>(alpha))
        .offset(std::bit_cast<std::uint64_t>(beta))
        .operand(c)
        .buffer(*scratch_.state);
    scratch_.phases.emplace_back("store");
    return queue_.enqueue(built_.kernel("store"), elements(b_.padded, a_.padded));
  }

 private:
  KernelArguments of(const char* name) { return {built_.kernel(name), Precision::d}; }
  KernelArguments with_lines(const char* name, const Lines& lines) {
    return of(name)
        .size(lines.count)
        .size(depth_)
        .size(padded_depth_)
        .buffer(*lines.from)
        .offset(lines.offset)
        .offset(lines.line_step)
        .offset(lines.step)
        .buffer(*lines.to);
  }
  KernelArguments& sides(KernelArguments& arguments) {
    return arguments.buffer(*a_.to).size(a_.padded).buffer(*b_.to).size(b_.padded);
  }
  static cl::Range elements(std::int64_t across, std::int64_t down) {
    constexpr std::size_t wide = 32;
    return {{size(across), size(down)}, {wide, integer_element_items / wide}};
  }
  // Neighbours have neighbouring words of a line's slice, or lines that lie beside each other.
  cl::Range words_of(const Lines& lines) const {
    const std::int64_t words = padded_depth_ / 4;
    if (lines.step != 1) return elements(lines.padded, words);
    const std::size_t wide = std::min<std::size_t>(32, size(tile_.depth / 4));
    return {{size(words), size(lines.padded)}, {wide, integer_element_items / wide}};
  }
  cl::Range tiles(int planes) const {
    const std::size_t items = group_sizes(built_.params).product;
    return {{size(b_.padded / tile_.columns) * items, size(a_.padded / tile_.rows)},
            {items, 1},
            static_cast<std::size_t>(planes)};
  }
  void enqueue(const char* name, const KernelArguments&, const cl::Range& range) {
    keep(scratch_.earlier, queue_.enqueue(built_.kernel(name), range));
    scratch_.phases.emplace_back(name);
  }

  cl::Queue& queue_;
  BuiltProgram& built_;
  const IntegerTile tile_;
  const std::int64_t depth_, padded_depth_;
  const Lines a_, b_;
  IntegerScratch& scratch_;
};

}  // namespace

cl::Event submit_integers(const TargetDevice& device, cl::Queue& queue, DeviceScratch& shared,
                          const DeviceLimits& left, BuiltProgram& built, const GemmProblem& problem,
                          const BoundInputs& inputs, const BoundOperand& c,
                          IntegerScratch& scratch) {
  const double alpha = problem.alpha.real(), beta = problem.beta.real();
  if (!std::isfinite(alpha) || !std::isfinite(beta))
    throw UnsuitedNumbers("alpha or beta is not finite; the CPU has to do it");
  const IntegerTile tile = integer_tile_of(built.params);
  const IntegerBlocks blocks = integer_blocks(problem, left, device.launch_bound, tile);
  const IntegerBytes bytes = integer_bytes(blocks, problem.k);
  DeviceBytes needs;
  needs.packed_a = bytes.a;
  needs.packed_b = bytes.b;
  needs.partial = bytes.products;
  shared.make_room(needs, left.memory_bytes);
  scratch.a = shared.packed_a.at_least(device.context, bytes.a);
  scratch.b = shared.packed_b.at_least(device.context, bytes.b);
  scratch.products = shared.partial.at_least(device.context, bytes.products);
  constexpr std::size_t bytes_of_state = 2 * sizeof(int);
  scratch.state =
      std::make_shared<cl::Buffer>(device.context.allocate(bytes_of_state, cl::Access::read_write));
  keep(scratch.earlier, queue.fill_with_zeros(*scratch.state, bytes_of_state));

  cl::Event last;
  for (std::int64_t column = 0; column < problem.n; column += blocks.n)
    for (std::int64_t row = 0; row < problem.m; row += blocks.m) {
      keep(scratch.earlier, std::move(last));
      const std::int64_t rows = std::min(blocks.m, problem.m - row),
                         columns = std::min(blocks.n, problem.n - column);
      Phases phases(
          queue, built, problem.k, tile,
          lines_of(inputs.a, problem.op_a == Op::none, row, rows, tile.rows, *scratch.a, false),
          lines_of(inputs.b, problem.op_b != Op::none, column, columns, tile.columns, *scratch.b,
                   true),
          scratch);
      phases.measure();
      phases.certify();
      phases.multiply(blocks);
      last = phases.store(alpha, beta, shifted(c, row, column, sizeof(double)));
    }
  queue.flush();
  return last;
}

void require_certified(cl::Queue& queue, const IntegerScratch& scratch) {
  std::array<int, 2> state{};
  const std::size_t bytes = sizeof state;
  queue.read(*scratch.state, state.data(), {1, bytes, bytes, bytes, 0});
  if (state[1] != 0)
    throw UnsuitedNumbers(
        "a product by integers is not certified to be as exact as one of doubles, or numbers are "
        "not finite; the CPU has to do it");
}

}  // namespace duoblas
