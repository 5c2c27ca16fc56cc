// A panel of LU with partial pivoting by all of its work-groups at the same time, in a matrix whose
// rows are LU's columns. Each of the panel's rows stays in registers of SEGMENTS work-items, INNER
// columns each; ROWS rows form a group. Of each column a group puts its candidate for the pivot on
// a board in global memory, with its row in the inner panel's columns, and waits for the others'.
// The other columns of the inner panel's pivots follow when it is done; then each group solves for
// their rows of U by itself, and updates its rows.
//
//             inner panel: a group's rows are in local memory
//            +------+------+------+------+
//      ROWS  | done | this | registers   |   board  column 0: | group 0: INNER words, place | 1: ..
//            |      |      |             |          column 1: ..
//            +------+------+------+------+   tops   column 0: | WIDTH words of its pivot's row | ..
//
// Words of a board are zero until they are stored: they are the numbers' bits, with some of a NaN
// exchanged. A launch stores and reads one board, and clears the other one. So nothing depends on
// the order in which stores arrive. A wait ends after `polls` looks; then `results` says so, and
// all results are anything. What is written stays within the panel then, too.
//
// Rows keep their places in a variable, and move at the end. A place is the row where LAPACK would
// have it, counted from the panel's first row: of equal candidates the first place counts. NaN is
// smaller than all numbers.
//
// REAL: float or double. WORD: an unsigned integer of its size. WIDTH: the panel's columns, a
// multiple of INNER, two of them at least. GROUPS: the most groups there are. REDUX: NVIDIA's
// instructions among 32 neighbours, of compute capability 8.0.

// Numbers in arrays of a work-item stay in registers.
#define UNROLLED _Pragma("unroll")
#define INNER 16
#define SEGMENTS (WIDTH / INNER)
#define ITEMS (ROWS * SEGMENTS)
#define PITCH (INNER + 1)
#define WARPS (ROWS / 32)
#define CANDIDATE (INNER + 1)
#define WORDS_OF_ITEM ((GROUPS * CANDIDATE + ITEMS - 1) / ITEMS)
#define TOPS ((INNER * WIDTH + ITEMS - 1) / ITEMS)
#define NOWHERE 0x7fffffffu

#if IS_DOUBLE
#define AS_WORD(x) as_ulong(x)
#define AS_REAL(x) as_double(x)
#define HIDDEN 0x7ff8deadbeef0001ul
#define NAN_WORD 0x7ff8000000000000ul
#define SIGN 0x8000000000000000ul
#define INFINITE 0x7ff0000000000000ul
#define SMALLEST 0x1p-1022
#else
#define AS_WORD(x) as_uint(x)
#define AS_REAL(x) as_float(x)
#define HIDDEN 0x7fcdbeefu
#define NAN_WORD 0x7fc00000u
#define SIGN 0x80000000u
#define INFINITE 0x7f800000u
#define SMALLEST 0x1p-126f
#endif

inline WORD hidden(REAL x) {
  const WORD word = AS_WORD(x);
  return (word == HIDDEN ? NAN_WORD : word) ^ HIDDEN;
}

// Zero for NaN, else more the larger |x| is.
inline WORD size_of(REAL x) {
  const WORD size = AS_WORD(x) & ~SIGN;
  return size > INFINITE ? 0 : size + 1;
}

#if REDUX
inline uint most_of_warp(uint x) {
  uint most;
  asm volatile("redux.sync.max.u32 %0, %1, 0xffffffff;" : "=r"(most) : "r"(x));
  return most;
}
inline uint least_of_warp(uint x) {
  uint least;
  asm volatile("redux.sync.min.u32 %0, %1, 0xffffffff;" : "=r"(least) : "r"(x));
  return least;
}
inline WORD largest_of_warp(WORD size) {
#if IS_DOUBLE
  const uint high = most_of_warp((uint)(size >> 32));
  const uint low = most_of_warp((uint)(size >> 32) == high ? (uint)size : 0);
  return (ulong)high << 32 | low;
#else
  return most_of_warp(size);
#endif
}
#endif

__attribute__((reqd_work_group_size(ITEMS, 1, 1)))
__kernel void lu_panel(int rows, __global REAL* matrix, ulong offset, ulong pitch,
                       volatile __global WORD* boards, ulong now, ulong next, ulong words,
                       __global int* moves, ulong moves_offset, volatile __global int* results,
                       ulong results_offset, int first, int polls) {
  __local REAL lines[ROWS * PITCH];
  __local REAL multipliers[ROWS * PITCH];
  __local REAL candidates[GROUPS * CANDIDATE > INNER * WIDTH ? GROUPS * CANDIDATE : INNER * WIDTH];
  __local REAL top[INNER * PITCH];
  __local uint candidate_places[GROUPS];
  __local WORD best_size[WARPS];
  __local uint best_place[WARPS];
  __local int best_row[WARPS];
  __local int owner[INNER];
  __local int places[ROWS];
  __local int lost[1];
#if !REDUX
  __local WORD sizes[ROWS];
#endif
  const int item = get_local_id(0), row = item % ROWS, segment = item / ROWS;
  const int group = get_group_id(0), groups = get_num_groups(0);
  const int origin = group * ROWS + row;
  volatile __global WORD* const board = boards + now;
  volatile __global WORD* const tops = board + (ulong)WIDTH * groups * CANDIDATE;
  results += results_offset;
  moves += moves_offset;
  matrix += offset;

  REAL a[INNER];
  UNROLLED for (int k = 0; k < INNER; ++k)
    a[k] = origin < rows ? matrix[(ulong)(segment * INNER + k) * pitch + origin] : 0;
  for (ulong i = group * ITEMS + item; i < words; i += groups * ITEMS) boards[next + i] = 0;
  if (item == 0) lost[0] = 0;
  if (item < WARPS) best_row[item] = 0;
  uint place = origin < rows ? origin : NOWHERE;
  int done = origin < rows ? WIDTH : -1;  // the column whose pivot the row is

  for (int inner = 0; inner < SEGMENTS; ++inner) {
    const int begin = inner * INNER;
    if (segment == inner)
      UNROLLED for (int k = 0; k < INNER; ++k) lines[row * PITCH + k] = a[k];
    barrier(CLK_LOCAL_MEM_FENCE);
    WORD size = row < ROWS && done == WIDTH ? size_of(lines[row * PITCH]) : 0;

    for (int j = 0; j < INNER; ++j) {
      const int column = begin + j;
      // The group's candidate.
#if REDUX
      if (item < ROWS) {
        const uint at = done == WIDTH ? place : NOWHERE;
        const WORD largest = largest_of_warp(size);
        const uint least = least_of_warp(size == largest ? at : NOWHERE);
        if (item % 32 == 0) {
          best_size[item / 32] = largest;
          best_place[item / 32] = least;
        }
        if (at == least && least != NOWHERE) best_row[item / 32] = row;
      }
#else
      if (item < ROWS) {
        sizes[item] = size;
        places[item] = done == WIDTH ? place : NOWHERE;
      }
      barrier(CLK_LOCAL_MEM_FENCE);
      if (item < WARPS) {
        int best = item * 32;
        for (int i = best + 1; i < item * 32 + 32; ++i)
          if (sizes[i] > sizes[best] || (sizes[i] == sizes[best] && places[i] < places[best]))
            best = i;
        best_size[item] = sizes[best];
        best_place[item] = places[best];
        best_row[item] = best;
      }
#endif
      barrier(CLK_LOCAL_MEM_FENCE);
      int own = 0;
      for (int i = 1; i < WARPS; ++i)
        if (best_size[i] > best_size[own] ||
            (best_size[i] == best_size[own] && best_place[i] < best_place[own]))
          own = i;
      const int candidate = best_row[own];
      const ulong of_column = (ulong)column * groups * CANDIDATE;
      if (item < CANDIDATE) {
        const WORD word =
            item == INNER ? (WORD)best_place[own] + 1
                         : hidden(item < j ? multipliers[candidate * PITCH + item]
                                           : lines[candidate * PITCH + item]);
        board[of_column + group * CANDIDATE + item] = word;
      }
#if !REDUX
      barrier(CLK_GLOBAL_MEM_FENCE);  // a CPU may run one work-item after another
#endif
      // The others' candidates.
      {
        const int count = groups * CANDIDATE;
        WORD seen[WORDS_OF_ITEM];
        UNROLLED for (int q = 0; q < WORDS_OF_ITEM; ++q) seen[q] = 0;
        int waits = 1;
        for (int looks = lost[0] ? 1 : polls; waits && looks > 0; --looks) {
          waits = 0;
          UNROLLED for (int q = 0; q < WORDS_OF_ITEM; ++q)
            if (item + q * ITEMS < count && seen[q] == 0)
              seen[q] = board[of_column + item + q * ITEMS];
          UNROLLED for (int q = 0; q < WORDS_OF_ITEM; ++q)
            if (item + q * ITEMS < count && seen[q] == 0) waits = 1;
        }
        if (waits) lost[0] = results[WIDTH] = 1;
        UNROLLED for (int q = 0; q < WORDS_OF_ITEM; ++q) {
          const int word = item + q * ITEMS;
          if (word < count) {
            if (word % CANDIDATE == INNER)
              candidate_places[word / CANDIDATE] = (uint)seen[q] - 1;
            else
              candidates[word] = AS_REAL(seen[q] ^ HIDDEN);
          }
        }
      }
      barrier(CLK_LOCAL_MEM_FENCE);
      int best = 0;
      uint pivot_place;
#if REDUX
      {
        WORD most = 0;
        uint at = NOWHERE;
        int whose = 0;
        for (int i = item % 32; i < groups; i += 32) {
          const WORD other =
              candidate_places[i] == NOWHERE ? 0 : size_of(candidates[i * CANDIDATE + j]);
          if (other > most || (other == most && candidate_places[i] < at)) {
            most = other;
            at = candidate_places[i];
            whose = i;
          }
        }
        const WORD largest = largest_of_warp(most);
        pivot_place = least_of_warp(most == largest ? at : NOWHERE);
        best = most_of_warp(most == largest && at == pivot_place ? whose : 0);
      }
#else
      {
        WORD most = 0;
        pivot_place = NOWHERE;
        for (int i = 0; i < groups; ++i) {
          const WORD other =
              candidate_places[i] == NOWHERE ? 0 : size_of(candidates[i * CANDIDATE + j]);
          if (other > most || (other == most && candidate_places[i] < pivot_place)) {
            most = other;
            pivot_place = candidate_places[i];
            best = i;
          }
        }
      }
#endif
      __local const REAL* const u = candidates + best * CANDIDATE;
      if (item < INNER) top[j * PITCH + item] = u[item];
      if (item == 0) {
        owner[j] = best;
        if (group == 0) results[column] = first + pivot_place + 1;
      }
      if (done == WIDTH && place == pivot_place) {
        done = column;
        place = column;
      } else if (place == column) {
        place = pivot_place;
      }
      size = 0;
      if (done == WIDTH) {
        const REAL pivot = u[j];
        REAL l = lines[row * PITCH + j];
        if (pivot != 0) l = fabs(pivot) >= (REAL)SMALLEST ? l * (1 / pivot) : l / pivot;
        if (segment == 0) {
          multipliers[row * PITCH + j] = l;
          if (j + 1 < INNER) {
            const REAL x = lines[row * PITCH + j + 1] - l * u[j + 1];
            lines[row * PITCH + j + 1] = x;
            size = size_of(x);
          }
        } else {
          for (int k = j + 1 + segment; k < INNER; k += SEGMENTS - 1)
            lines[row * PITCH + k] -= l * u[k];
        }
      }
    }
    barrier(CLK_LOCAL_MEM_FENCE);

    // Rows of U behind the inner panel: `candidates` has them now.
    const int behind = begin + INNER;
    const int here = done >= begin && done < behind;
    if (segment == inner) {
      const int end = done == WIDTH ? INNER : here ? done - begin : 0;
      UNROLLED for (int k = 0; k < INNER; ++k)
        a[k] = k < end ? multipliers[row * PITCH + k] : lines[row * PITCH + k];
    }
    if (segment > inner && here)
      UNROLLED for (int k = 0; k < INNER; ++k)
        candidates[(done - begin) * WIDTH + segment * INNER + k] = a[k];
    barrier(CLK_LOCAL_MEM_FENCE);
    {
      WORD seen[TOPS];
      UNROLLED for (int q = 0; q < TOPS; ++q) {
        const int at = item + q * ITEMS, i = at / WIDTH;
        seen[q] = 1;
        if (at < INNER * WIDTH && at % WIDTH >= behind) {
          if (owner[i] == group)
            tops[begin * WIDTH + at] = hidden(candidates[at]);
          else
            seen[q] = 0;
        }
      }
      int waits = 1;
      for (int looks = lost[0] ? 1 : polls; waits && looks > 0; --looks) {
        waits = 0;
        UNROLLED for (int q = 0; q < TOPS; ++q)
          if (seen[q] == 0) seen[q] = tops[begin * WIDTH + item + q * ITEMS];
        UNROLLED for (int q = 0; q < TOPS; ++q)
          if (seen[q] == 0) waits = 1;
      }
      if (waits) lost[0] = results[WIDTH] = 1;
      UNROLLED for (int q = 0; q < TOPS; ++q) {
        const int at = item + q * ITEMS;
        if (at < INNER * WIDTH && at % WIDTH >= behind && owner[at / WIDTH] != group)
          candidates[at] = AS_REAL(seen[q] ^ HIDDEN);
      }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (behind + item < WIDTH) {
      REAL x[INNER];
      UNROLLED for (int i = 0; i < INNER; ++i) x[i] = candidates[i * WIDTH + behind + item];
      UNROLLED for (int i = 0; i < INNER; ++i)
        UNROLLED for (int k = i + 1; k < INNER; ++k) x[k] -= top[k * PITCH + i] * x[i];
      UNROLLED for (int i = 0; i < INNER; ++i) candidates[i * WIDTH + behind + item] = x[i];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (segment > inner) {
      __local const REAL* const u = candidates + segment * INNER;
      if (done == WIDTH) {
        UNROLLED for (int i = 0; i < INNER; ++i) {
          const REAL l = multipliers[row * PITCH + i];
          UNROLLED for (int k = 0; k < INNER; ++k) a[k] -= l * u[i * WIDTH + k];
        }
      } else if (here) {
        UNROLLED for (int k = 0; k < INNER; ++k) a[k] = u[(done - begin) * WIDTH + k];
      }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
  }

  if (segment == 0) {
    places[row] = place;
    if (origin < rows && place < (uint)rows) {
      if (place < WIDTH) moves[place] = first + origin;
      if (origin < WIDTH) {
        moves[WIDTH + origin] = first + place;
        moves[2 * WIDTH + origin] = first + origin;
      }
    }
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  const uint at = places[row];
  if (origin < rows && at < (uint)rows)
    UNROLLED for (int k = 0; k < INNER; ++k)
      matrix[(ulong)(segment * INNER + k) * pitch + at] = a[k];
}
