// Stores into memory that is read elsewhere
#pragma once
#include "arrays.hpp"

// How many rows a store may not have written yet, behind the one that it computes: for what it reads
// there. Rows are those of the first dimension, and follow each other in memory.
template <class T, int N, class U, int M>
static inline i64 lag_of(const View<T, N> &to, const View<U, M> &from) {
    const i64 never = (i64)1 << 40;
    if (!overlaps(to, from)) return 0;
    if constexpr (N != M) return never;
    else {
        const i64 step = to.s[0] * (i64)sizeof(T);
        if (step <= 0 || from.n[0] != to.n[0] || from.s[0] * (i64)sizeof(U) != step) return never;
        View<T, N> row = to;
        View<U, M> other = from;
        row.n[0] = other.n[0] = 1;
        const char *a, *b, *c, *d;
        span(row, a, b);
        span(other, c, d);
        return b - c <= step ? 0 : (b - c + step - 1) / step - 1;
    }
}
// Elements that lie one behind the other, into some rows.
template <class T, int N> static inline const T *put_rows(const View<T, N> &to, i64 at, i64 count, const T *from) {
    T *p = to.p + at * to.s[0];
    if constexpr (N == 1) {
        if (to.s[0] == 1) copied(from, count, p);
        else for (i64 k = 0; k < count; k++) p[k * to.s[0]] = from[k];
        return from + count;
    } else {
        View<T, N - 1> row;
        for (int d = 1; d < N; d++) { row.n[d - 1] = to.n[d]; row.s[d - 1] = to.s[d]; }
        for (i64 k = 0; k < count; k++, p += to.s[0]) {
            row.p = p;
            from = put_rows(row, 0, row.n[0], from);
        }
        return from;
    }
}
