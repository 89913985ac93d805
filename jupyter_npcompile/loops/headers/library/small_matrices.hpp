// Matrices of up to four rows, without a call: the steps of NumPy's library, in its order
//
// Column by column, as the library takes what is small: each element less the sum of the products
// before it, the pivot's column times its reciprocal. One right side is divided by the diagonal,
// several are multiplied by its reciprocals.
#pragma once
#include "arrays.hpp"
#include "choices.hpp"
#include "numbers.hpp"

#define SMALL_ROWS 4
static inline bool is_small(i64 n) { return n <= SMALL_ROWS; }

// Element (i, j) is a[j * N + i]. False where it is singular. Places of pivots are doubles, and rows
// change places by comparisons with them: an index that only the run knows would keep all of it in
// memory, where what was just written is waited for, and branches would be guessed.
INLINE void swap_at(double place, i64 i, double &a, double &b) {
    const double first = a;
    a = picked_eq<double>(place, (double)i, b, a);
    b = picked_eq<double>(place, (double)i, first, b);
}
template <int N> INLINE bool factor_small(double (&a)[N * N], double (&pivots)[N]) {
#pragma GCC unroll 4
    for (int j = 0; j < N; j++) {
        double *const column = a + j * N;
#pragma GCC unroll 4
        for (int i = 0; i < j; i++)
#pragma GCC unroll 4
            for (int k = i + 1; k < N; k++) swap_at(pivots[i], k, column[i], column[k]);
#pragma GCC unroll 4
        for (int i = 1; i < N; i++) {
            double sum = 0.0;
#pragma GCC unroll 4
            for (int k = 0; k < (i < j ? i : j); k++) sum += a[k * N + i] * column[k];
            column[i] -= sum;
        }
        double best = j, size = math::fabs(column[j]);
#pragma GCC unroll 4
        for (int i = j + 1; i < N; i++) {
            const double other = math::fabs(column[i]);
            best = picked_lt<double>(size, other, i, best);
            size = picked_lt<double>(size, other, other, size);
        }
        pivots[j] = best;
        if (!(size >= std::numeric_limits<double>::min())) return false;
#pragma GCC unroll 4
        for (int k = 0; k <= j; k++)
#pragma GCC unroll 4
            for (int i = j + 1; i < N; i++) swap_at(best, i, a[k * N + j], a[k * N + i]);
        const double reciprocal = 1.0 / column[j];
#pragma GCC unroll 4
        for (int i = j + 1; i < N; i++) column[i] *= reciprocal;
    }
    return true;
}
template <int N>
INLINE void substitute_small(const double (&a)[N * N], const double (&pivots)[N], double (&x)[N], bool alone) {
#pragma GCC unroll 4
    for (int i = 0; i < N; i++)
#pragma GCC unroll 4
        for (int k = i + 1; k < N; k++) swap_at(pivots[i], k, x[i], x[k]);
#pragma GCC unroll 4
    for (int k = 0; k < N; k++)
#pragma GCC unroll 4
        for (int i = k + 1; i < N; i++) x[i] -= a[k * N + i] * x[k];
#pragma GCC unroll 4
    for (int k = N - 1; k >= 0; k--) {
        x[k] = alone ? x[k] / a[k * N + k] : x[k] * (1.0 / a[k * N + k]);
#pragma GCC unroll 4
        for (int i = 0; i < k; i++) x[i] -= a[k * N + i] * x[k];
    }
}
// V is a view, or a value, whose strides are constants.
template <int N, class V> INLINE void columns_of(const V &v, double (&a)[N * N]) {
#pragma GCC unroll 4
    for (int i = 0; i < N; i++)
#pragma GCC unroll 4
        for (int j = 0; j < N; j++) a[j * N + i] = v.p[i * v.s[0] + j * v.s[1]];
}
template <int N> INLINE bool is_finite(const double (&x)[N]) {
    bool all = true;
    for (int i = 0; i < N; i++) all &= __builtin_isfinite(x[i]);
    return all;
}
// Each column of b becomes one of x; false where the library has to look at it.
template <int N, class A, class B, class X>
INLINE bool solve_small(const A &a, const B &b, X &x) {
    double lu[N * N], column[N], pivots[N];
    columns_of<N>(a, lu);
    if (!is_finite(lu) || !factor_small<N>(lu, pivots)) return false;
    for (i64 j = 0; j < b.n[1]; j++) {
        for (int i = 0; i < N; i++) column[i] = b.p[i * b.s[0] + j * b.s[1]];
        substitute_small<N>(lu, pivots, column, b.n[1] == 1);
        if (!is_finite(column)) return false;
        for (int i = 0; i < N; i++) x.p[i * x.s[0] + j * x.s[1]] = column[i];
    }
    return true;
}
static inline bool solve_small(const View<double, 2> &a, const View<double, 2> &b, const View<double, 2> &x) {
    switch (a.n[0]) {
        case 1: return solve_small<1>(a, b, x);
        case 2: return solve_small<2>(a, b, x);
        case 3: return solve_small<3>(a, b, x);
        case 4: return solve_small<4>(a, b, x);
        default: return false;
    }
}
// Of the diagonal, and which rows changed places: what a determinant is made of.
template <int N, class A> INLINE bool factor_small(const A &a, double *diagonal, i64 *pivots) {
    double lu[N * N], places[N];
    columns_of<N>(a, lu);
    if (!is_finite(lu) || !factor_small<N>(lu, places)) return false;
    for (int k = 0; k < N; k++) { diagonal[k] = lu[k * (N + 1)]; pivots[k] = (i64)places[k] + 1; }
    return true;
}
static inline bool factor_small(const View<double, 2> &a, double *diagonal, i64 *pivots) {
    switch (a.n[0]) {
        case 1: return factor_small<1>(a, diagonal, pivots);
        case 2: return factor_small<2>(a, diagonal, pivots);
        case 3: return factor_small<3>(a, diagonal, pivots);
        case 4: return factor_small<4>(a, diagonal, pivots);
        default: return false;
    }
}
// The lower half of a becomes a factor, row by row; false where the library has to look at it.
INLINE bool cholesky_small(const View<double, 2> &a, const View<double, 2> &lower, i64 n) {
    double *const l = lower.p;
    for (i64 j = 0; j < n; j++) {
        double sum = 0.0;
        for (i64 k = 0; k < j; k++) sum += l[j * n + k] * l[j * n + k];
        const double square = a.p[j * (a.s[0] + a.s[1])] - sum;
        // Quietly: NumPy looks at no flag of NaN here.
        if (!__builtin_isgreaterequal(square, std::numeric_limits<double>::min()) || math::isinf(square)) return false;
        const double root = math::sqrt(square), reciprocal = 1.0 / root;
        l[j * n + j] = root;
        for (i64 i = 0; i < j; i++) l[i * n + j] = 0.0;
        for (i64 i = j + 1; i < n; i++) {
            sum = 0.0;
            for (i64 k = 0; k < j; k++) sum += l[i * n + k] * l[j * n + k];
            l[i * n + j] = (a.p[i * a.s[0] + j * a.s[1]] - sum) * reciprocal;
        }
    }
    return true;
}
