#include "gpu/integers/integer_product.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <complex>
#include <cstdint>

#include "gpu/device/unsuited_numbers.hpp"
#include "gpu/integers/integer_blocks.hpp"
#include "gpu/kernels/kernel_arguments.hpp"
#include "gpu/kernels/launch.hpp"
#include "problem/rounding.hpp"

namespace duoblas {
namespace {

// Of kernels/integers_numbers.clh.
constexpr int of_reals = 0, of_complex = 1, in_pairs = 2, conjugated = 4;

using ComplexDouble = std::complex<double>;

// Real lines, and real numbers of a line.
struct LineRange {
  std::int64_t first, count, first_term;
};

// Rows of op(A), or columns of op(B), in the device's memory, from `range.first_term` on.
struct Lines {
  const cl::Buffer* from;
  std::uint64_t offset;           // doubles
  std::uint64_t line_step, step;  // doubles from line to line, and from element to element
  int form;
  const cl::Buffer* to;
  std::int64_t count, padded;
  bool are_columns;
  bool stay = false;  // they are there
};

Lines lines_of(const BoundOperand& bound, bool lie_along_rows, int form, const LineRange& range,
               std::int64_t tile, const cl::Buffer& to, bool are_columns) {
  const std::int64_t parts = form == of_reals ? 1 : 2,
                     lines_of_one = (form & in_pairs) != 0 ? 2 : 1;
  const std::uint64_t ld = bound.pitch_bytes / sizeof(double);
  Lines lines{bound.buffer.get(),
              bound.offset_bytes / sizeof(double),
              ld,
              static_cast<std::uint64_t>(parts),
              form,
              &to,
              range.count,
              round_up(range.count, tile),
              are_columns};
  if (!lie_along_rows) std::swap(lines.line_step, lines.step);
  lines.offset += static_cast<std::uint64_t>(range.first / lines_of_one) * lines.line_step +
                  static_cast<std::uint64_t>(range.first_term / parts) * lines.step;
  return lines;
}

// For these the fewest moduli are taken. The bound adds up what k terms may be off, which is at
// random, so what is lost is less by the root of k: an eighth of a roundoff is expected. Sums of
// doubles lose 0.1 and more (docs/results/integers.md).
std::int64_t wanted_roundoffs(std::int64_t most) {
  return std::max<std::int64_t>(static_cast<std::int64_t>(std::sqrt(most)) / 8, 1);
}

// Of a group of kernels/integers_measure.cl, so many have a line. Where few lines are all that a
// large device has to do, each lasts less long with more of them. Lines that lie beside each other
// in memory are read four at a time.
std::size_t measuring_items_of(const Lines& lines, int compute_units) {
  constexpr std::int64_t busy_groups = 8;  // of a compute unit
  std::int64_t of_line = integer_measuring_items_of_line;
  const auto groups = [&] {
    return lines.padded * of_line / static_cast<std::int64_t>(integer_measuring_items);
  };
  const bool lie_along = lines.step <= 2;
  while (lie_along && of_line < static_cast<std::int64_t>(integer_measuring_items) &&
         groups() < busy_groups * compute_units)
    of_line *= 2;
  return static_cast<std::size_t>(of_line);
}

// Of a work-item of kernels/integers_certify.cl.
constexpr std::int64_t rows_of_certified = 4;

std::size_t size(std::int64_t extent) {
  return static_cast<std::size_t>(extent);
}

}  // namespace

// The phases of a piece of a block, in their order.
class IntegerProduct::Phases {
 public:
  /// `most_roundoffs`: of |A||B|, that the product may be off. `number`: of the block of C.
  Phases(IntegerProduct& job, BuiltProgram& built, std::int64_t number, std::int64_t depth,
         std::int64_t most_roundoffs, const Lines& a, const Lines& b)
      : job_(job),
        built_(built),
        tile_(job.blocks_.tile),
        mark_(number + 1),
        depth_(depth),
        padded_depth_(round_up(depth, tile_.depth)),
        most_roundoffs_(most_roundoffs),
        a_(a),
        b_(b) {}

  void measure(const Lines& lines) {
    const std::size_t of_line = measuring_items_of(lines, job_.compute_units_);
    enqueue("measure",
            with_lines("measure", lines)
                .size(lines.padded)
                .buffer(*job_.state_)
                .size(lines.are_columns ? 1 : 0)
                .size(mark_)
                .size(static_cast<std::int64_t>(of_line)),
            {{size(lines.padded) * of_line, 1}, {integer_measuring_items, 1}});
  }
  void certify() {
    enqueue("bound",
            sides(of("bound").size(padded_depth_)).buffer(*job_.products_).buffer(*job_.state_),
            tiles(1));
    enqueue("certify",
            sides(of("certify")
                      .size(a_.count)
                      .size(b_.count)
                      .size(wanted_roundoffs(most_roundoffs_))
                      .size(most_roundoffs_))
                .buffer(*job_.products_)
                .buffer(*job_.state_)
                .size(mark_),
            elements(b_.padded, a_.padded / rows_of_certified));
  }
  void multiply() {
    const IntegerBlocks& blocks = job_.blocks_;
    for (int first = 0; first < integer_moduli; first += blocks.planes) {
      const int count = std::min(blocks.planes, integer_moduli - first);
      for (const Lines* lines : {&a_, &b_}) {
        const bool stay = lines->stay && blocks.planes == integer_moduli;
        const char* const name = stay ? "residues_anew" : "residues";
        enqueue(name,
                with_lines(name, *lines)
                    .size(lines->padded)
                    .size(lines->are_columns ? 1 : 0)
                    .size(first)
                    .size(count)
                    .buffer(*job_.state_),
                {{stay ? integer_words_of_group : size(padded_depth_ / 4), size(lines->padded)},
                 {integer_words_of_group, integer_element_items / integer_words_of_group}});
      }
      for (int plane = 0; plane < count; plane += blocks.planes_of_launch)
        enqueue("multiply",
                sides(of("multiply").size(padded_depth_))
                    .buffer(*job_.products_)
                    .size(first)
                    .size(plane)
                    .buffer(*job_.state_),
                tiles(std::min(blocks.planes_of_launch, count - plane)));
    }
  }
  /// `c`: of the block.
  cl::Event store(ComplexDouble alpha, ComplexDouble beta, const BoundOperand& c) {
    const bool is_real = a_.form == of_reals;
    const char* const name = is_real ? "store" : "store_complex";
    KernelArguments arguments = of(name).size(a_.count).size(is_real ? b_.count : b_.count / 2);
    sides(arguments).buffer(*job_.products_);
    for (const ComplexDouble& scalar : {alpha, beta}) {
      arguments.offset(std::bit_cast<std::uint64_t>(scalar.real()));
      if (!is_real) arguments.offset(std::bit_cast<std::uint64_t>(scalar.imag()));
    }
    arguments.operand(c).buffer(*job_.state_);
    if (!is_real) arguments.size(mark_);
    job_.phases_.emplace_back(name);
    return job_.queue_.enqueue(
        built_.kernel(name),
        elements(is_real ? b_.padded : round_up(b_.padded / 2, integer_tile), a_.padded));
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
        .size(lines.form)
        .buffer(*lines.to);
  }
  KernelArguments& sides(KernelArguments& arguments) {
    return arguments.buffer(*a_.to).size(a_.padded).buffer(*b_.to).size(b_.padded);
  }
  static cl::Range elements(std::int64_t across, std::int64_t down) {
    constexpr std::size_t wide = 32;
    return {{size(across), size(down)}, {wide, integer_element_items / wide}};
  }
  cl::Range tiles(int planes) const {
    const std::size_t items = group_sizes(built_.params).product;
    return {{size(b_.padded / tile_.columns) * items, size(a_.padded / tile_.rows)},
            {items, 1},
            static_cast<std::size_t>(planes)};
  }
  void enqueue(const char* name, const KernelArguments&, const cl::Range& range) {
    keep(job_.earlier_, job_.queue_.enqueue(built_.kernel(name), range));
    job_.phases_.emplace_back(name);
  }

  IntegerProduct& job_;
  BuiltProgram& built_;
  const IntegerTile& tile_;
  const std::int64_t mark_, depth_, padded_depth_, most_roundoffs_;
  const Lines a_, b_;
};

namespace {

bool is_finite(ComplexDouble scalar) {
  return std::isfinite(scalar.real()) && std::isfinite(scalar.imag());
}

// Roundoffs of |A||B| that a product may be off before it is rounded (docs/design/integers.md).
std::int64_t most_roundoffs(std::int64_t k, bool is_real) {
  return is_real ? k + 4 : (k + 7) * 181 / 256;
}

int form_of(bool is_real, Op op, int of_side) {
  return is_real ? of_reals : of_complex | of_side | (op == Op::conj_transpose ? conjugated : 0);
}

}  // namespace

void require_certified(const std::int32_t* state, std::int64_t block) {
  if (state[1] != 0 && state[1] <= block + 1)
    throw UnsuitedNumbers(
        "a product by integers is not certified to be as exact as one of doubles, or numbers are "
        "not finite; the CPU has to do it");
}

DeviceBytes scratch_of(const IntegerBlocks& blocks) {
  const IntegerBytes bytes = integer_bytes(blocks, blocks.k);
  DeviceBytes needs;
  needs.packed_a = bytes.a;
  needs.packed_b = bytes.b;
  needs.partial = bytes.products;
  return needs;
}

IntegerProduct::IntegerProduct(const TargetDevice& device, cl::Queue& queue, DeviceScratch& shared,
                               const GemmProblem& whole, const IntegerBlocks& blocks, int notes)
    : queue_(queue), blocks_(blocks), compute_units_(device.limits.compute_units) {
  if (!is_finite(whole.alpha) || !is_finite(whole.beta))
    throw UnsuitedNumbers("alpha or beta is not finite; the CPU has to do it");
  const DeviceBytes bytes = scratch_of(blocks);
  a_ = shared.packed_a.at_least(device.context, bytes.packed_a);
  b_ = shared.packed_b.at_least(device.context, bytes.packed_b);
  products_ = shared.partial.at_least(device.context, bytes.partial);
  const auto make_state = [&] {
    return std::make_shared<cl::Buffer>(
        device.context.allocate(state_bytes, cl::Access::read_write));
  };
  state_ = make_state();
  for (int i = 0; i < notes; ++i) notes_.push_back(make_state());
  keep(earlier_, queue.fill_with_zeros(*state_, state_bytes));
}

bool IntegerProduct::takes_whole(const GemmProblem& block, bool columns) const {
  const GemmProblem in_reals = as_real_numbers(block);
  return blocks_.planes == integer_moduli && in_reals.k <= blocks_.k &&
         (columns ? in_reals.n <= blocks_.n : in_reals.m <= blocks_.m);
}

cl::Event IntegerProduct::enqueue(BuiltProgram& built, const GemmProblem& block,
                                  const Numbers& numbers, const BoundInputs& inputs,
                                  const BoundOperand& c, const LastingSides& lasting) {
  const bool is_real = !is_complex(block.precision);
  const GemmProblem in_reals = as_real_numbers(block);
  const IntegerTile& tile = blocks_.tile;
  const int form_a = form_of(is_real, block.op_a, 0),
            form_b = form_of(is_real, block.op_b, in_pairs);
  cl::Event last;
  const auto add_piece = [&](std::int64_t row, std::int64_t column, std::int64_t term) {
    keep(earlier_, std::move(last));
    const std::int64_t depth = std::min(blocks_.k, in_reals.k - term);
    const LineRange rows{row, std::min(blocks_.m, in_reals.m - row), term},
        columns{column, std::min(blocks_.n, in_reals.n - column), term};
    const auto memory = [](const LastingLines& of, const auto& scratch) -> const cl::Buffer& {
      return of.memory ? *of.memory : *scratch;
    };
    Lines a = lines_of(inputs.a, block.op_a == Op::none, form_a, rows, tile.rows,
                       memory(lasting.a, a_), false),
          b = lines_of(inputs.b, block.op_b != Op::none, form_b, columns, tile.columns,
                       memory(lasting.b, b_), true);
    // Pieces before had all of the lines that last.
    a.stay = lasting.a.memory ? lasting.a.are_known || column > 0
                              : !is_new(held_a_, {numbers.a, row, term});
    b.stay = lasting.b.memory ? lasting.b.are_known || row > 0
                              : !is_new(held_b_, {numbers.b, column, term});
    Phases phases(*this, built, numbers.c, depth,
                  most_roundoffs(is_real ? depth : depth / 2, is_real), a, b);
    if (!a.stay) phases.measure(a);
    if (!b.stay) phases.measure(b);
    phases.certify();
    phases.multiply();
    last =
        phases.store(block.alpha, term == 0 ? block.beta : ComplexDouble(1),
                     shifted(c, row, is_real ? column : column / 2, element_size(block.precision)));
  };
  for (std::int64_t column = 0; column < in_reals.n; column += blocks_.n)
    for (std::int64_t row = 0; row < in_reals.m; row += blocks_.m)
      for (std::int64_t term = 0; term < in_reals.k; term += blocks_.k)
        add_piece(row, column, term);
  keep(earlier_, std::move(last));
  return queue_.copy(*state_, *note(numbers.c), state_bytes);
}

SubmittedIntegers submit_integers(const TargetDevice& device, cl::Queue& queue,
                                  DeviceScratch& shared, const DeviceLimits& left,
                                  BuiltProgram& built, const GemmProblem& problem,
                                  const BoundInputs& inputs, const BoundOperand& c) {
  const IntegerBlocks blocks = integer_blocks(as_real_numbers(problem), left, device.launch_bound,
                                              integer_tile_of(built.params));
  shared.make_room(scratch_of(blocks), left.memory_bytes);
  IntegerProduct product(device, queue, shared, problem, blocks);
  cl::Event last = product.enqueue(built, problem, {}, inputs, c);
  queue.flush();
  return {std::move(product), std::move(last)};
}

void require_certified(cl::Queue& queue, const IntegerProduct& product) {
  IntegerProduct::State state{};
  constexpr std::size_t bytes = IntegerProduct::state_bytes;
  queue.read(*product.note(0), state.data(), {1, bytes, bytes, bytes, 0});
  require_certified(state.data(), 0);
}

}  // namespace duoblas
