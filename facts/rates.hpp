// What was measured of machines: rates, times and sizes that are assumed where no profile and no
// call has shown others. Data, not code: nothing but constants, each with where it comes from. The
// page that is named has more.
#pragma once

#include <cstdint>

namespace duoblas::rates {

// Factorisations in place, by both sides (src/lapack/division.cpp)

// The time of a panel over that of a product with as many flops. Panels are narrow, and each column
// is searched for its pivot: a panel of 256 columns and 4096 rows ran at a third of dgemm's rate.
// From: AMD EPYC (Zen 5), two cores, OpenBLAS 0.3.21.
inline constexpr double panel_overhead = 3;

// The time of a flop in rows of U over one of a product, with inverted leaves and swaps.
// From: an estimate, not measured.
inline constexpr double u_overhead = 2;

// With a smaller rectangle R3, whose launch and end cost more than it saves, dpotrf and spotrf of
// 1024 took 4 and 5 % longer.
// From: Intel Xeon (model 167), two cores: docs/experiments/factorisations-in-place.md.
inline constexpr double least_flops_of_r3 = 1e7;

// Columns of a panel, for matrices of fewer rows and columns than wide_panels_from, and others.
inline constexpr std::int64_t narrow_panel_columns = 128, wide_panel_columns = 256,
                              wide_panels_from = 2048;

// LU by teams of threads. Eight took 0.95 to 0.99 of the time of LU of 4096 with 384 columns, since
// C is updated less often; of 3072 doubles lost up to a tenth on two of four hosts, and 2048 gained
// nothing. One thread lost 7 % in floats, as there panels take longer. Larger ones than 4096 were
// not measured; from 10,923 rows on L of doubles would be too large to be packed once for a step.
// From: Intel Xeon (model 207): docs/experiments/factorisations-in-place.md.
inline constexpr std::int64_t lu_panel_columns = 384, lu_panels_from = 4096, lu_panels_to = 8192;
inline constexpr int lu_panels_least_team = 8;

// Cholesky from wide_panels_from on, up to this order.
// From: docs/experiments/factorisations-in-place.md.
inline constexpr std::int64_t cholesky_panel_columns = 192, cholesky_panels_until = 2560;

// On eight threads products of LU of 4096 took 1.25 times what a thread was at work in them on
// average: some ended later than others. With three tiles for each instead of two, LU of 3072 and
// 4096 took 0.91 to 0.97 of its time. Smaller ones gained less or nothing, and QR took 1.09, so
// those have two.
// From: eight of 16 cores of an Intel Xeon (model 207):
// docs/experiments/factorisations-in-place.md.
inline constexpr std::int64_t more_lu_tiles_from = 3072;
inline constexpr int more_lu_tiles = 3;

// Where old values are saved, steps of LU with at most so many rows have their second part ahead.
// LU of 2048 gains by it; LU of 4096, with larger steps ahead too, does not.
// From: Intel Xeon (model 167), two cores: docs/experiments/factorisations-in-place.md.
inline constexpr std::int64_t most_lu_rows_ahead = 2048;

// The time of a panel of QR over that of one of LU with as many rows and columns: with twice its
// flops and T, in halves.
// From: an estimate by a timeline of one core of an Intel Xeon (Granite Rapids).
inline constexpr double qr_panel_over_lu_panel = 1.7;

// Factorisations of a matrix that the device holds (src/lapack/lapack_call.cpp)

// A factorisation on the CPU against a product of as many flops: dgetrf and dpotrf of n = 4096 had
// 0.8 of dgemm's rate.
// From: AMD EPYC (Zen 5), two cores, OpenBLAS 0.3.21.
inline constexpr double factorisation_overhead = 1.25;

// The same for geqrf and orgqr, whose products are narrow: 3.6 to 4.5 (n = 8192 and 4096). Beside
// that geqrf reflects columns one by one: each took 11 to 16 us more at 1024 (c, z, d), and 10 us
// at 2048 (d).
// From: the 16 Xeon cores beside an NVIDIA H100: docs/experiments/factorisations.md.
inline constexpr double qr_overhead = 3, seconds_of_qr_column = 8e-6;

// What the device waits for. In LU the threads meet in each column of a panel, and in Cholesky each
// block on the diagonal goes to the host and back. Beside that a panel of LU takes so many times
// what a product of as many flops takes.
// From: 16 cores beside an NVIDIA H100: docs/experiments/factorisations.md.
inline constexpr double seconds_of_lu_column = 4e-6, seconds_of_cholesky_block = 3e-4;
inline constexpr double lu_panel_overhead = 3;

// Panels that the device factorises took 1.6 to 2.0 us a column, with 512 rows and with 4096,
// floats and doubles.
// From: NVIDIA H200: docs/experiments/factorisations.md.
inline constexpr double seconds_of_lu_column_on_device = 2e-6;

// The flops of LU's panels are as many times n^2 as panels are wide, and from here on they are the
// longest part: dgetrf of 8192 took 84 ms with 64 columns and 94 to 99 with 128, where 4096 took as
// long with either (30.4 and 28.8 to 33.9).
// From: NVIDIA H100: docs/experiments/factorisations.md.
inline constexpr std::int64_t narrow_lu_panels_from = 8192, narrow_lu_panel = 64;

// Columns of other panels.
inline constexpr std::int64_t resident_panel_columns = 128;

// The host's time per block of columns of an inverse or a solve, for inverting and copying its
// triangle.
// From: an estimate, not measured.
inline constexpr double seconds_of_block = 1e-4;

// QR (src/lapack/qr_call.cpp)

// What the device waits for. In each column of geqrf's panels threads meet: so many seconds; beside
// that such a panel takes times what a product of as many flops does. Of 1024, 2048 and 4096
// columns panels took 6.6, 16.2 and 37.9 ms (d), 17.7, 40.3 and 90.8 (c), 18.7, 47.8 and 123 (z).
// From: 16 cores beside an NVIDIA H100 or H200: docs/experiments/factorisations.md.
inline constexpr double seconds_of_real_qr_column = 4e-6, seconds_of_complex_qr_column = 1e-5;
inline constexpr double qr_panel_overhead = 6;

// orgqr's and ormqr's panels are copied and multiplied with themselves, and each has its triangle
// made: of ormqr with 1024, 2048, 4096 and 8192 columns 2.9, 7.4, 17.1 and 51.0 ms (d), with 4096
// 54.2 (c) and 77.3 (z).
// From: the same.
inline constexpr double seconds_of_real_qr_triangle = 2.7e-4, seconds_of_complex_qr_triangle = 1e-3;
inline constexpr double qr_gather_overhead = 3;

// The last tiles of a product on the device (src/kernel_space/last_tiles.cpp)

// What splitting their k costs, in steps of k: each part that a unit does, the addition of a part
// for each unit, and the kernel that adds. For tiles of 128 x 128 doubles (73 ns a step) the last
// round took 496, 865, 1624, 475 and 1735 steps at n = 1536, 1664, 2304, 2560 and 3072; by these
// numbers it is 500, 905, 1506, 438 and 1738.
// From: NVIDIA H100: docs/experiments/gpu-kernels.md.
inline constexpr double steps_of_part = 100, steps_to_add_part = 60, steps_of_split = 200;

// Transfers and copies

// The least bytes of a panel over the bus, so that 20 us of enqueueing stay below a tenth of its
// time at 55 GB/s.
// From: NVIDIA H200 (src/kernel_space/device_blocks.cpp).
inline constexpr std::int64_t least_panel_bytes = std::int64_t{4} << 20;

// Lines of a block of a product by integers. A block reads the other side's residues once: at 1,400
// tera operations and 4 TB a second that takes a third of the time in which so many are multiplied.
// From: NVIDIA H200: docs/results/integers.md.
inline constexpr std::int64_t least_lines_by_integers = 512;

// A slice's sums are read and written once more on the device: with so many steps of k or more that
// is 5 % of the slice's time, at 4 TB/s and 48 TFLOPS.
// From: NVIDIA H200 (src/kernel_space/device_blocks.cpp).
inline constexpr std::int64_t enough_steps_of_slice = 1024;

// At a copy of C to memory that the device uses in place a core does less than 9 GB/s
// (src/level3/device_call.cpp).
// From: an NVIDIA H200's host, bench_host_transfers (9a20fe79): docs/experiments/transfers.md.
inline constexpr double copied_bytes_per_second = 8e9;

// What a core copies alone, used until it is known: less than half of what one did
// (src/memory/copy_pace.hpp).
// From: the same.
inline constexpr double alone_copied_bytes_per_second = 4e9;

// Level 3

// A job against a product of as many flops: its blocks are smaller, and a solve has a chain of
// small ones (src/level3/device_call.cpp).
// From: an estimate, not measured.
inline constexpr double job_overhead = 1.2, solving_overhead = 1.6;

// What halving must gain: after each of its own routines the CPU BLAS's idle workers spin for so
// long (src/cpu/blas_instance.cpp) on cores that the GPU's side may need. dsymm of 512 took 1.14
// times the CPU BLAS's time when the plan expected a gain from one of its two products.
// From: PoCL on one of two cores of an Intel Xeon.
inline constexpr double seconds_of_own_spinning = 0.4e-3;

// The time of a job while none like it was seen, over the estimate, which counts transfers and
// flops: 1.3 times at n = 4096, 4 times at 1024, where its steps are short and wait for one another
// (src/level3/device_call.cpp).
// From: NVIDIA H200.
inline constexpr double unseen_job_overhead = 2;

// From this order on jobs that are rank-k updates, csymm and chemm gain by tf32x3: 0.7 to 0.8 of
// the time, ssymm as long. Of 4096 strsm, strmm and ctrsm took 2.2, 1.5 and 1.3 times as long, and
// all jobs of 2048 longer.
// From: NVIDIA H200: docs/results/h200.md#jobs-with-tf32x3.
inline constexpr std::int64_t tf32x3_jobs_from = 4096;

// Level 3 on the CPU in tiles (src/cpu/level3_tiles.cpp). If C is a triangle, tiles took 0.58 to
// 0.97 of OpenBLAS's time from 2.5e8 flops on, and 0.29 to 0.94 if k is long, but 1.0 to 2.5 times
// as long in smaller calls. With eight threads doubles took up to 1.2 times as long. symm, trmm and
// trsm were slower in most shapes.
// From: 16 Xeon cores of 2.1 GHz beside an NVIDIA H100, 2026-11-25, OpenBLAS 0.3.26, s, d,
// bench_level3_tiles (9a20fe79). Complex types and other processors were not measured.
inline constexpr int tiles_least_threads = 16;
inline constexpr double tiles_least_flops = 2.5e8, tiles_least_flops_of_long_sums = 3e7;

// Starting a device and compiling for it

// Of one core in float64, where today's do 30 to 100 GFLOPS: with a low estimate fewer calls spare
// a core.
inline constexpr double flops_per_second_of_core = 20e9;

// Calls had the device so long after its start, until this machine shows what it takes here. Five
// programs of 0.7 to 1.2 s that have nothing from a device took 0.18 to 0.46 s longer with one that
// was started at once, 0.33 s in the mean: a core of the driver's, and its exit.
// From: 16 cores beside an NVIDIA H200, 2026-11-29, bench/programs/compare.py:
// docs/results/h200.md#the-start-of-the-device.
inline constexpr double seconds_until_ready = 0.5, lost_part_of_start = 0.65;

// To build and try a kernel, beside a program: by PoCL 0.6 to 0.7 s, by NVIDIA's driver 0.76 s.
// From: docs/design/limits.md, and an NVIDIA H200, 2026-11-30:
// docs/experiments/drop-in.md#what-a-kernel-costs.
inline constexpr double seconds_of_build_for_cpu = 0.7, seconds_of_build_for_gpu = 0.75;

// The cost model where nothing was measured (src/planner/cost_model.cpp)

// To enqueue a kernel and wait for it: 46 us with PoCL 3.1, 11 us with a discrete GPU.
// From: AMD EPYC, two cores.
inline constexpr double launch_seconds = 60e-6;

// Waking the workers of a CPU BLAS; a few cores' streaming bandwidth, until a faster pass was seen;
// and one step of a tile's sums on the GPU, and on the CPU.
// From: estimates.
inline constexpr double cpu_start_seconds = 5e-6;
inline constexpr double stream_bytes_per_second = 20e9;
inline constexpr double gpu_step_seconds = 5e-9, cpu_step_seconds = 0.5e-9;

// First checks of results (src/engine/launches.cpp)

// To keep old values in new memory, and to compare, of one thread; with more than eight the memory
// is the limit. Of the first dgetrf of order 4096 16 cores took 0.09 ns a byte, which is this over
// eight threads. One core took 0.26 with memory of an earlier check (order 2048), so fewer threads
// may take less than this.
// From: 16 cores of an Intel Xeon: docs/experiments/checks.md.
inline constexpr double seconds_of_keeping_a_byte = 7e-10;
inline constexpr int most_threads_that_keep = 8;

// Calls of a program (src/planner)

// Beside sixteen threads that multiply, sgemm of 2048 on the GPU took 8 ms; alone it takes 1.9.
// Copies have to wait for a core.
// From: NVIDIA H200 (src/planner/warm_up_time.hpp).
inline constexpr double slowed_by_programs_blas = 3;

// A first call may wake the threads of a BLAS, which takes 0.07 to 0.18 ms (sgemm, n = 128 to
// 1024). A longer call shows its time all the same.
// From: 16 cores beside an NVIDIA H200 (src/planner/learner.cpp).
inline constexpr double long_beside_waking = 4e-3;

}  // namespace duoblas::rates
