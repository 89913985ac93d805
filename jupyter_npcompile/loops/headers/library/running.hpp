// np.cumsum, np.add.accumulate and their like; np.var
#pragma once
#include "choices.hpp"
#include "library/reductions.hpp"
#include "library/searching.hpp"

struct Plus { static constexpr bool compares = false; template <class T> T operator()(T a, T b) const { return (T)(a + b); } };
struct Times { static constexpr bool compares = false; template <class T> T operator()(T a, T b) const { return (T)(a * b); } };
struct Most { static constexpr bool compares = true; template <class T> T operator()(T a, T b) const { return np_max<T>(a, b); } };
struct Least { static constexpr bool compares = true; template <class T> T operator()(T a, T b) const { return np_min<T>(a, b); } };

// Whether NumPy gives results for this their dimensions in C order: as those of an operand lie.
template <class T, int N> static inline bool lies_in_rows(const View<T, N> &v) {
    i64 step = (i64)1 << 62;
    for (int d = 0; d < N; d++) {
        if (v.n[d] <= 1) continue;
        const i64 one = v.s[d] < 0 ? -v.s[d] : v.s[d];
        if (one > step || one == 0) return false;
        step = one;
    }
    return true;
}
// Calls `done(first of one, first of the other, number)` for all lines along an axis of two arrays
// of one shape; of planes, where two axes are left out.
template <class T, class U, int N, class F>
static inline void each_line(const View<T, N> &v, const View<U, N> &w, int axis, int other, const F &done) {
    i64 at[N] = {}, total = 1;
    for (int d = 0; d < N; d++) if (d != axis && d != other) total *= v.n[d];
    const T *p = v.p;
    U *q = w.p;
    for (i64 number = 0; number < total; number++) {
        done(p, q, number);
        for (int d = N - 1; d >= 0; d--) {
            if (d == axis || d == other) continue;
            p += v.s[d];
            q += w.s[d];
            if (++at[d] < v.n[d]) break;
            p -= at[d] * v.s[d];
            q -= at[d] * w.s[d];
            at[d] = 0;
        }
    }
}
// Lines whose sums are computed at once: each sum waits for the one before it.
#define SIDE_BY_SIDE 8
template <class T, int M, class U, class F>
static inline void run_lines(const U *const (&from)[SIDE_BY_SIDE], i64 step, T *const (&to)[SIDE_BY_SIDE],
    i64 n, const F &f) {
    T held[M];
    for (int r = 0; r < M; r++) to[r][0] = held[r] = (T)from[r][0];
    for (i64 k = 1; k < n; k++)
        for (int r = 0; r < M; r++) to[r][k] = held[r] = f(held[r], (T)from[r][k * step]);
}
template <class T, class F, class U, int N>
static inline Array<T, N> accumulated(Run &run, const View<U, N> &v, int axis, int type) {
    const F f;
    NEED(lies_in_rows(v));
    const Unheard unheard{run, F::compares};
    Array<T, N> made = fresh<T, N>(run.spare, v.n, type);
    const i64 n = v.n[axis], step = v.s[axis];
    if (!made.size()) return made;
    if (axis == N - 1) {
        const U *from[SIDE_BY_SIDE];
        T *to[SIDE_BY_SIDE];
        int held = 0;
        each_line(v, made, axis, -1, [&](const U *p, T *q, i64) {
            from[held] = p;
            to[held] = q;
            if (++held < SIDE_BY_SIDE) return;
            run_lines<T, SIDE_BY_SIDE>(from, step, to, n, f);
            held = 0;
        });
        for (int r = 0; r < held; r++) {
            from[0] = from[r];
            to[0] = to[r];
            run_lines<T, 1>(from, step, to, n, f);
        }
        return made;
    }
    const i64 width = v.n[N - 1], by = v.s[N - 1], below = made.s[axis];
    each_line(v, made, axis, N - 1, [&](const U *p, T *q, i64) {
        for (i64 k = 0; k < width; k++) q[k] = (T)p[k * by];
        for (i64 i = 1; i < n; i++) {
            p += step;
            q += below;
            const T *above = q - below;
            if (by == 1) {
#pragma GCC ivdep
                for (i64 k = 0; k < width; k++) q[k] = f(above[k], (T)p[k]);
            } else {
#pragma GCC ivdep
                for (i64 k = 0; k < width; k++) q[k] = f(above[k], (T)p[k * by]);
            }
        }
    });
    return made;
}

// The mean of squares of what is left without the mean.
template <class S, class T> static inline S variance(const T *p, i64 step, i64 n, double ddof) {
    NEED(n > ddof && n > 0);
    const S size = (S)n, by = (S)(n - ddof);
    if (step == 1) {
        const S mean = pairwise<S>([p](i64 k) { return (S)p[k]; }, 0, n) / size;
        return pairwise<S>([p, mean](i64 k) { const S x = (S)p[k] - mean; return x * x; }, 0, n) / by;
    }
    const S mean = pairwise<S>([p, step](i64 k) { return (S)p[k * step]; }, 0, n) / size;
    return pairwise<S>([p, step, mean](i64 k) { const S x = (S)p[k * step] - mean; return x * x; }, 0, n) / by;
}
#define COLUMNS 128
template <class S, class T, int N>
static inline Array<S, N - 1> variances(Run &run, const View<T, N> &v, int axis, double ddof, int type) {
    NEED(lies_in_rows(v));
    i64 dims[N - 1];
    for (int d = 0; d < N - 1; d++) dims[d] = v.n[d < axis ? d : d + 1];
    Array<S, N - 1> made = fresh<S, N - 1>(run.spare, dims, type);
    const i64 n = v.n[axis], step = v.s[axis];
    NEED(n > ddof && n > 0);
    if (axis == N - 1) {
        each_line(v, v, axis, -1, [&](const T *p, T *, i64 k) { made.p[k] = variance<S>(p, step, n, ddof); });
        return made;
    }
    const i64 width = v.n[N - 1], by = v.s[N - 1];
    const S size = (S)n, rest = (S)(n - ddof);
    each_line(v, v, axis, N - 1, [&](const T *first, T *, i64 number) {
        for (i64 from = 0; from < width; from += COLUMNS) {
            const i64 m = math::min<i64>(COLUMNS, width - from);
            S mean[COLUMNS] = {}, sum[COLUMNS] = {};
            const T *p = first + from * by;
            for (i64 i = 0; i < n; i++, p += step) {
                if (by == 1) for (i64 k = 0; k < m; k++) mean[k] = mean[k] + (S)p[k];
                else for (i64 k = 0; k < m; k++) mean[k] = mean[k] + (S)p[k * by];
            }
            for (i64 k = 0; k < m; k++) mean[k] = mean[k] / size;
            p = first + from * by;
            for (i64 i = 0; i < n; i++, p += step) {
                if (by == 1) for (i64 k = 0; k < m; k++) { const S x = (S)p[k] - mean[k]; sum[k] = sum[k] + x * x; }
                else for (i64 k = 0; k < m; k++) { const S x = (S)p[k * by] - mean[k]; sum[k] = sum[k] + x * x; }
            }
            S *to = made.p + number * width + from;
            for (i64 k = 0; k < m; k++) to[k] = sum[k] / rest;
        }
    });
    return made;
}
