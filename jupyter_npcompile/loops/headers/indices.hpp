// Indices
#pragma once
#include "basics.hpp"

static inline i64 at(i64 i, i64 n) {
    if (__builtin_expect((uint64_t)i >= (uint64_t)n, 0)) { i += n; NEED((uint64_t)i < (uint64_t)n); }
    return i;
}
struct Slice { i64 start, count; };
static inline Slice slice(i64 start, bool has_start, i64 stop, bool has_stop, i64 step, i64 n) {
    if (step > 0) {
        if (!has_start) start = 0; else if (start < 0) { start += n; if (start < 0) start = 0; } else if (start > n) start = n;
        if (!has_stop) stop = n; else if (stop < 0) { stop += n; if (stop < 0) stop = 0; } else if (stop > n) stop = n;
        return {start, start < stop ? (stop - start - 1) / step + 1 : 0};
    }
    NEED(step != 0);
    if (!has_start) start = n - 1; else if (start < 0) { start += n; if (start < 0) start = -1; } else if (start >= n) start = n - 1;
    if (!has_stop) stop = -1; else if (stop < 0) { stop += n; if (stop < 0) stop = -1; } else if (stop >= n) stop = n - 1;
    return {start, stop < start ? (start - stop - 1) / (-step) + 1 : 0};
}
static inline i64 broadcast(i64 a, i64 b) {
    if (a == b || b == 1) return a;
    NEED(a == 1);
    return b;
}

