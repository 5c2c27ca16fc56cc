#include "gpu/passage.hpp"

#include <algorithm>
#include <mutex>
#include <string>
#include <utility>

#include <duoblas/error.hpp>

namespace duoblas {
namespace {

// On the device rows start where its kernels read them fastest, whatever the caller's ld.
std::size_t device_pitch(std::size_t row_bytes) {
  constexpr std::size_t unit = 16;
  return (row_bytes + unit - 1) / unit * unit;
}

std::shared_ptr<const cl::Buffer> buffer_of(ScratchBuffer& kept, const cl::Context& context,
                                            std::size_t bytes) {
  const cl::DeviceInfo& info = context.device().info;
  if (info.max_allocation_bytes > 0 && bytes > info.max_allocation_bytes) {
    throw DeviceError("an operand of " + std::to_string(bytes) + " bytes is larger than " +
                      info.name + " can allocate at once (" +
                      std::to_string(info.max_allocation_bytes) + " bytes); the CPU has to do it");
  }
  return kept.at_least(context, bytes);
}

}  // namespace

std::size_t Passage::Place::bytes() const {
  return host.rows * device_pitch(host.row_bytes);
}

RowsCopy Passage::Place::rows() const {
  return {nullptr, 0, host.data, host.pitch, host.rows, host.row_bytes};
}

Passage::HostMatrix Passage::matrix(const void* data, std::int64_t rows, std::int64_t columns,
                                    std::int64_t ld, Precision precision) {
  const std::size_t element = element_size(precision);
  return {static_cast<char*>(const_cast<void*>(data)), static_cast<std::size_t>(rows),
          static_cast<std::size_t>(columns) * element, static_cast<std::size_t>(ld) * element};
}

cl::RectCopy Passage::Place::rectangle() const {
  return {host.rows, host.row_bytes, host.pitch, device_pitch(host.row_bytes), offset};
}

Passage::Passage(TransferLanes& lanes, const GemmProblem& part, const KernelParams& kernel,
                 const Routes& routes)
    : lanes_(lanes), part_(part), kernel_(kernel), routes_(routes) {
  if (routes.registered_directly) lock_pages();
  lay_out(panels_of(part, kernel, lanes.device.limits.compute_units));
  const Panel& last = panels_.back();
  const cl::Context& context = lanes.device.context;
  a_ = buffer_for(last.a, lanes.a);
  b_ = buffer_for(last.b, lanes.b);
  c_ = buffer_for(last.c, lanes.c);
  if (!lands_in_c())
    landing_ = lanes.landings.take(context, lanes.device.queue, last.c.offset + last.c.bytes());
  for (const Panel* panel : {&std::as_const(panels_).front(), &last})
    prepare_product(lanes.device, kernel, part.precision, part.op_a, part.op_b,
                    rows_of(panel->problem, kernel));
}

Passage::~Passage() {
  lanes_.landings.give_back(std::move(landing_));
}

void Passage::lock_pages() {
  const auto hold = [&](const void* data, std::int64_t rows, std::int64_t columns,
                        std::int64_t ld) {
    const std::int64_t bytes = footprint(part_.precision, rows, columns, ld);
    return lanes_.page_locks.hold(data, static_cast<std::size_t>(bytes));
  };
  if (routes_.resident.a == nullptr)
    locked_a_ = hold(part_.a, stored_rows_a(part_), stored_cols_a(part_), part_.lda);
  if (routes_.resident.b == nullptr)
    locked_b_ = hold(part_.b, stored_rows_b(part_), stored_cols_b(part_), part_.ldb);
  locked_c_ = hold(part_.c, part_.m, part_.n, part_.ldc);
}

std::shared_ptr<const cl::Buffer> Passage::buffer_for(const Place& last,
                                                      ScratchBuffer& kept) const {
  if (last.host.resident != nullptr) return last.host.resident->from(last.host.data).buffer;
  return buffer_of(kept, lanes_.device.context, last.offset + last.bytes());
}

// What moves lies panel behind panel, each of them dense; what stays is the same for all.
void Passage::lay_out(const Panels& cut) {
  a_stays_ = cut.axis == Axis::columns;
  const Precision precision = part_.precision;
  Place a, b, c;
  for (std::size_t i = 0; i < cut.ends.size(); ++i) {
    const GemmProblem p = panel_of(part_, cut, i);
    a.host = matrix(p.a, stored_rows_a(p), stored_cols_a(p), p.lda, precision);
    b.host = matrix(p.b, stored_rows_b(p), stored_cols_b(p), p.ldb, precision);
    c.host = matrix(p.c, p.m, p.n, p.ldc, precision);
    a.host.locked = static_cast<bool>(locked_a_);
    b.host.locked = static_cast<bool>(locked_b_);
    c.host.locked = static_cast<bool>(locked_c_);
    a.host.resident = routes_.resident.a;
    b.host.resident = routes_.resident.b;
    panels_.push_back({p, a, b, c});
    (a_stays_ ? b : a).offset += (a_stays_ ? b : a).bytes();
    c.offset += c.bytes();
  }
}

BoundOperand Passage::send(const Place& place, const std::shared_ptr<const cl::Buffer>& to) {
  if (place.host.resident != nullptr) return place.host.resident->from(place.host.data);
  const std::size_t pitch = device_pitch(place.host.row_bytes);
  if (place.host.locked) {
    sent_ = std::make_shared<cl::Event>(
        lanes_.uploads.write_later(*to, place.host.data, place.rectangle()));
    fetched_by_device_.push_back(sent_);
  } else if (auto sent = lanes_.ring.upload(place.rows(), *to, place.offset, pitch)) {
    sent_ = sent;
  }
  return {to, place.offset, pitch, SharingMode::staged};
}

void Passage::multiply(const Panel& panel, const BoundOperand& a, const BoundOperand& b) {
  BoundOperand c{c_, panel.c.offset, device_pitch(panel.c.host.row_bytes), SharingMode::staged};
  if (!part_.overwrites_c()) c = send(panel.c, c_);
  lanes_.uploads.flush();
  if (sent_) lanes_.device.queue.start_after(*sent_);
  const ProductOperands operands{a, b, c, true, true};
  multiplied_.push_back(submit_product(lanes_.device, panel.problem, kernel_, operands, scratch_));
}

void Passage::fetch(const Panel& panel) {
  lanes_.downloads.start_after(multiplied_.back());
  if (lands_in_c()) {
    landed_.push_back(lanes_.downloads.read_later(*c_, panel.c.host.data, panel.c.rectangle()));
    lanes_.downloads.flush();
    return;
  }
  char* landing = static_cast<char*>(landing_->data()) + panel.c.offset;
  landed_.push_back(lanes_.downloads.read_later(*c_, landing, panel.c.bytes(), panel.c.offset));
  lanes_.downloads.flush();
}

void Passage::publish(const Panel& panel) {
  if (lands_in_c()) return;
  const Place& c = panel.c;
  lanes_.copiers.copy({c.host.data, c.host.pitch,
                       static_cast<const char*>(landing_->data()) + c.offset,
                       device_pitch(c.host.row_bytes), c.host.rows, c.host.row_bytes});
}

void Passage::carry_out() {
  BoundOperand stays = a_stays_ ? send(panels_.front().a, a_) : send(panels_.front().b, b_);
  lanes_.uploads.flush();
  for (const Panel& panel : panels_) {
    const BoundOperand moves = a_stays_ ? send(panel.b, b_) : send(panel.a, a_);
    multiply(panel, a_stays_ ? stays : moves, a_stays_ ? moves : stays);
    fetch(panel);
  }
  lanes_.ring.finish();
  for (const auto& fetched : fetched_by_device_) lanes_.uploads.wait(*fetched);
  // Old values that are needed stay where they are until nothing can fail any more.
  if (!part_.overwrites_c())
    for (std::size_t i = 0; i < panels_.size(); ++i) wait_for(i);
  for (std::size_t i = 0; i < panels_.size(); ++i) {
    if (part_.overwrites_c()) wait_for(i);
    publish(panels_[i]);
  }
}

// What a download does behind a product that failed is the driver's choice: both are asked.
void Passage::wait_for(std::size_t panel) {
  lanes_.downloads.wait(landed_[panel]);
  lanes_.device.queue.wait(multiplied_[panel]);
}

GpuJobTimes Passage::run() {
  const std::lock_guard guard(lanes_.device.mutex);
  try {
    carry_out();
  } catch (...) {
    lanes_.drain();
    scratch_.release();
    throw;
  }
  scratch_.release();
  GpuJobTimes times;
  times.whole = std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  times.kernels = times.whole;
  return times;
}

void TransferLanes::drain() noexcept {
  device.drain();
  for (cl::Queue* queue : {&uploads, &downloads}) {
    try {
      queue->finish();
    } catch (const std::exception&) {
      // A device that cannot even finish is lost; nothing else can be waited for.
    }
  }
  ring.forget();
}

}  // namespace duoblas
