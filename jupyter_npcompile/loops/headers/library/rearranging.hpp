// np.pad
#pragma once
#include "arrays.hpp"
#include "runs.hpp"

enum { CONSTANT, EDGE, WRAP, REFLECT, SYMMETRIC };
// Which element stands in a place; -1 where it is the constant. NumPy goes on from
// there where more is wanted than the array has.
static inline i64 padded_from(i64 k, i64 n, int mode) {
    if (k >= 0 && k < n) return k;
    if (mode == CONSTANT) return -1;
    NEED(n > 0);
    if (mode == EDGE) return k < 0 ? 0 : n - 1;
    if (mode == WRAP) { NEED(k >= -n && k < 2 * n); return k < 0 ? k + n : k - n; }
    const i64 shift = mode == SYMMETRIC;
    NEED(k > -n - shift && k < 2 * n - 1 + shift);
    return k < 0 ? -k - shift : 2 * (n - 1) - k + shift;
}
template <class T, int N> struct Padding {
    const View<T, N> &from;
    const i64 (&before)[N];
    int mode;
    T constant;
    T *to;
    void fill(i64 count) { for (i64 k = 0; k < count; k++) *to++ = constant; }
    void run(const i64 (&n)[N], int d, const T *p) {
        const i64 step = from.s[d];
        if (d == N - 1) {
            const i64 first = before[d], stop = first + from.n[d];
            for (i64 k = 0; k < first; k++) put(p, padded_from(k - first, from.n[d], mode), step);
            if (step == 1) for (i64 k = 0; k < from.n[d]; k++) *to++ = p[k];
            else for (i64 k = 0; k < from.n[d]; k++) *to++ = p[k * step];
            for (i64 k = stop; k < n[d]; k++) put(p, padded_from(k - first, from.n[d], mode), step);
            return;
        }
        i64 below = 1;
        for (int e = d + 1; e < N; e++) below *= n[e];
        for (i64 k = 0; k < n[d]; k++) {
            const i64 source = padded_from(k - before[d], from.n[d], mode);
            if (source < 0) fill(below);
            else run(n, d + 1, p + source * step);
        }
    }
    void put(const T *p, i64 source, i64 step) { *to++ = source < 0 ? constant : p[source * step]; }
};
// Columns one after the other, and not rows.
template <class T, int N> static inline bool lies_in_columns(const View<T, N> &v) {
    i64 step = 1;
    for (int d = 0; d < N; d++) { if (v.n[d] != 1 && v.s[d] != step) return false; step *= v.n[d]; }
    return !v.contiguous();
}
template <class T, int N>
static inline Array<T, N> padded(Run &run, const View<T, N> &v, const i64 (&before)[N], const i64 (&after)[N],
    int mode, T constant, int type) {
    i64 n[N];
    for (int d = 0; d < N; d++) {
        NEED(before[d] >= 0 && after[d] >= 0);
        n[d] = before[d] + v.n[d] + after[d];
    }
    Array<T, N> made = fresh<T, N>(run.spare, n, type);
    Padding<T, N>{v, before, mode, constant, made.p}.run(n, 0, v.p);
    return made;
}
// The same elements, one after the other.
template <class T, int N> static inline Array<T, N> dense(Run &run, const View<T, N> &v, int type) {
    const i64 nothing[N] = {};
    return padded<T, N>(run, v, nothing, nothing, CONSTANT, T(), type);
}

// ---- np.nonzero: where elements are not zero, row by row

template <class T, int N> static inline Array<i64, 2> places_of_truth(Run &run, const View<T, N> &v) {
    i64 count = 0;
    const i64 size = v.size();
    const Array<T, N> all = v.contiguous() ? Array<T, N>(v) : dense(run, v, NPY_NOTYPE);
    for (i64 k = 0; k < size; k++) count += all.p[k] != T(0);
    const i64 n[2] = {count, N};
    Array<i64, 2> made = fresh<i64, 2>(run.spare, n, NPY_INT64);
    if (!count) return made;
    i64 at[N] = {};
    i64 *to = made.p;
    if constexpr (N == 1) {  // without branches, which nobody can predict
        for (i64 k = 0, found = 0; found < count; k++) { to[found] = k; found += all.p[k] != T(0); }
        return made;
    }
    for (i64 k = 0; k < size; k++) {
        if (all.p[k] != T(0)) for (int d = 0; d < N; d++) *to++ = at[d];
        for (int d = N - 1; d >= 0 && ++at[d] == v.n[d]; d--) at[d] = 0;
    }
    return made;
}

// ---- reshape

// Where elements lie that are counted in C order: steps for other lengths, if there are any.
template <class T, int N, int M> static inline bool steps_for(const View<T, N> &v, View<T, M> &w) {
    int d = N - 1;
    while (d > 0 && v.n[d] == 1) d--;
    i64 left = 1, step = v.s[d];  // of what lies evenly spaced, from the end
    for (int e = M - 1; e >= 0; e--) {
        if (left == 1 && w.n[e] != 1) {
            while (d >= 0 && v.n[d] == 1) d--;
            if (d < 0) return false;
            left = v.n[d];
            step = v.s[d];
            i64 next = left * step;
            for (d--; d >= 0 && (v.n[d] == 1 || v.s[d] == next); d--) { left *= v.n[d]; next *= v.n[d]; }
        }
        if (left % w.n[e]) return false;
        w.s[e] = step;
        step *= w.n[e];
        left /= w.n[e];
    }
    return true;
}
// The lengths of w are given. What is copied lies in `copy`, which must live as long.
template <class T, int N, int M>
static inline void reshape(Run &run, const View<T, N> &v, View<T, M> &w, Array<T, N> &copy, int type) {
    i64 size = 1;
    for (int e = M - 1; e >= 0; e--) { w.s[e] = size; size *= w.n[e]; }
    NEED(size == v.size());
    w.p = v.p;
    w.b = v.b;
    if (!size || v.contiguous() || steps_for(v, w)) return;
    i64 step = 1;
    for (int e = M - 1; e >= 0; e--) { w.s[e] = step; step *= w.n[e]; }
    copy = dense(run, v, type);
    w.p = copy.p;
    w.b = copy.b;
}

// What has been made of some rows, or columns, where it belongs among all of them.
template <int AXIS, class T, int N>
static inline void put_part(const View<T, N> &all, const View<T, N> &some, i64 first) {
    NEED(some.contiguous() && !is_odd(some));
    i64 pieces = 1, row = 1;
    for (int d = 0; d < N; d++) {
        NEED(d == AXIS || some.n[d] == all.n[d]);
        (d < AXIS ? pieces : row) *= d == AXIS ? 1 : some.n[d];
    }
    const i64 length = some.n[AXIS] * row;
    if (length == 0) return;
    for (i64 k = 0; k < pieces; k++)
        std::memcpy(all.p + (k * all.n[AXIS] + first) * row, some.p + k * length, length * sizeof(T));
}
