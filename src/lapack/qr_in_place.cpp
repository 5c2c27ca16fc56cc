// QR where host and device share memory. The device does the last columns of each product with a
// block reflector, in two products. The CPU does the others, and for geqrf the next panel.
#include <algorithm>
#include <cstdint>
#include <memory>
#include <vector>

#include "lapack/block_reflector.hpp"
#include "lapack/division.hpp"
#include "lapack/qr.hpp"
#include "problem/element_types.hpp"

namespace duoblas {
namespace {

// Writes columns of an identity.
template <typename T>
void fill_with_identity(const LapackProblem& p, Interval columns) {
  for (std::int64_t j = columns.first; j < columns.first + columns.count; ++j) {
    T* const column = static_cast<T*>(element_of(p.a, p.lda, 0, j, p.precision));
    std::fill_n(column, p.m, T(0));
    column[j] = 1;
  }
}

class InPlace {
 public:
  InPlace(Engine& engine, const LapackProblem& p, const std::vector<CallStep>& updates,
          DeviceUpdates& device)
      : engine_(engine),
        p_(p),
        matrix_(reflected_matrix(p)),
        updates_(updates),
        device_(device),
        cpu_(product_at(updates, 0).plan.cpu),
        op_(op_of_reflectors(p)),
        steps_(qr_steps(p, width())),
        threads_(threads()),
        reflectors_{BlockReflector(engine, p, width(), cpu_, threads_),
                    BlockReflector(engine, p, width(), cpu_, threads_)} {
    std::int64_t most = 0;
    for (std::size_t i = 0; i < steps_.size(); ++i) most = std::max(most, device_columns(i));
    const std::size_t bytes = static_cast<std::size_t>(width() * most) * element_size(p_.precision);
    inner_ = PageBlock(bytes);
    turned_ = PageBlock(bytes);
    for (BlockReflector& reflector : reflectors_) {
      reflector.reserve(matrix_.n);
      reflector.halve_panels(narrow_panel);
    }
  }

  void run() {
    if (p_.routine == LapackRoutine::geqrf) return factorise();
    for (std::size_t i = 0; i < steps_.size(); ++i) reflect(i);
  }

 private:
  // One team does all of the CPU's part, as in LU. Without the device its part is the CPU side's,
  // so of the CPU BLAS's own threads; and copies have threads of their own.
  std::shared_ptr<QrThreads> threads() const {
    if (p_.routine != LapackRoutine::geqrf) return nullptr;
    const bool shares = device_.has_device() && !copies(product_at(updates_, 0).plan.sharing);
    return QrThreads::made(engine_, p_, width(), cpu_, shares ? TeamShare::all : TeamShare::half);
  }
  // The planned width; no panel is wider.
  std::int64_t width() const {
    std::int64_t widest = 1;
    for (std::size_t i = 1; i < updates_.size(); i += 2)
      widest = std::max(widest, product_at(updates_, i).problem.k);
    return widest;
  }
  std::int64_t device_columns(std::size_t step) const {
    return 2 * step < updates_.size() ? product_at(updates_, 2 * step).problem.m : 0;
  }
  ReflectedColumns columns(const QrStep& step, std::int64_t first, std::int64_t count) const {
    return {element_of(matrix_.a, matrix_.lda, step.panel.first, first, p_.precision), matrix_.lda,
            count};
  }
  void factorise() {
    reflectors_[0].factorise(steps_[0].panel);
    for (std::size_t i = 0; i < steps_.size(); ++i) {
      BlockReflector& now = reflectors_[i % 2];
      const QrStep& step = steps_[i];
      carry_out(i, now, [&] {
        if (step.next == 0) return;
        now.apply(op_, columns(step, step.columns.first, step.next));
        reflectors_[(i + 1) % 2].factorise(steps_[i + 1].panel);
      });
    }
  }

  void reflect(std::size_t i) {
    reflectors_[0].gather(steps_[i].panel);
    if (p_.routine == LapackRoutine::orgqr) {
      Interval done = steps_[i].panel;
      if (i == 0) done.count = p_.n - done.first;
      with_element_type(p_.precision,
                        [&](auto zero) { fill_with_identity<decltype(zero)>(p_, done); });
    }
    carry_out(i, reflectors_[0], [] {});
  }

  // `first`: the CPU's first work, on the first step.next columns.
  template <typename First>
  void carry_out(std::size_t i, BlockReflector& reflector, First&& first) {
    const QrStep& step = steps_[i];
    const std::int64_t of_device = device_columns(i);
    const std::int64_t begin = step.columns.first, own = step.columns.count - of_device;
    const auto apply_to = [&](std::int64_t from, std::int64_t count) {
      reflector.apply(op_, columns(step, from, count));
    };
    if (of_device == 0) {
      first();
      apply_to(begin + step.next, own - step.next);
      return;
    }
    const std::int64_t beside_first =
        step.next + columns_beside_first(reflector.rows(), step.panel.count, own, step.next);
    const ReflectedColumns devices = columns(step, begin + own, of_device);
    const ReflectedColumns cpus = columns(step, begin, own);
    device_.update(reflector.inner(devices, inner_.data()), product_at(updates_, 2 * i).plan,
                   reflector.outer(turned_.data(), cpus), [&] {
                     first();
                     apply_to(begin + step.next, beside_first - step.next);
                   });
    reflector.run(reflector.triangular(op_, of_device, inner_.data(), turned_.data()));
    device_.update(reflector.outer(turned_.data(), devices), product_at(updates_, 2 * i + 1).plan,
                   reflector.outer(turned_.data(), cpus),
                   [&] { apply_to(begin + beside_first, own - beside_first); });
  }

  Engine& engine_;
  const LapackProblem& p_;
  const LapackProblem matrix_;
  const std::vector<CallStep>& updates_;
  DeviceUpdates& device_;
  const CpuConfig cpu_;
  const Op op_;
  const std::vector<QrStep> steps_;
  const std::shared_ptr<QrThreads> threads_;
  BlockReflector reflectors_[2];
  PageBlock inner_, turned_;
};

}  // namespace

void reflect_in_place(Engine& engine, const LapackProblem& p, const std::vector<CallStep>& updates,
                      DeviceUpdates& device) {
  InPlace(engine, p, updates, device).run();
}

}  // namespace duoblas
