#include "gpu/level3/direct_results.hpp"

#include <utility>

namespace duoblas {

void DirectResults::send_for(const BoundOperand& from, const HostRect& to,
                             std::shared_ptr<const cl::Event> done, EarlierKernels earlier,
                             std::size_t* rows_done) {
  queues_.downloads.start_after(*done);
  auto arrived = std::make_shared<cl::Event>(queues_.downloads.read_later(
      *from.buffer, to.data,
      {to.rows, to.row_bytes, to.pitch, from.pitch_bytes, from.offset_bytes}));
  in_flight_.push_back(
      {std::move(arrived), std::move(done), std::move(earlier), to.rows, rows_done});
  queues_.downloads.flush();
}

bool DirectResults::advance() {
  if (in_flight_.empty() || !queues_.downloads.has_ended(*in_flight_.front().arrived)) return false;
  wait_for_oldest();
  return true;
}

void DirectResults::finish() {
  while (!in_flight_.empty()) wait_for_oldest();
}

// Drivers differ in whether a download fails after a product that failed, so both are checked.
void DirectResults::wait_for_oldest() {
  const Download& oldest = in_flight_.front();
  queues_.downloads.wait(*oldest.arrived);
  queues_.device.queue.wait(*oldest.after);
  require_all(queues_.device.queue, oldest.earlier);
  queues_.operands.check_ended();
  *oldest.rows_done = oldest.rows;
  in_flight_.pop_front();
}

}  // namespace duoblas
