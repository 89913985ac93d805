// Systems of up to four equations, as many as the code says: see small_arrays.py
//
// All of it is written where it is used, and the library gets copies: an array of which anybody
// else knows the address would not stay in registers.
#pragma once
#include "library/linear_algebra.hpp"
#include "library/small_matrices.hpp"

template <i64 N, i64 M, class V> INLINE Small<double, N, M> copied_small(const V &v) {
    Small<double, N, M> made;
    for (i64 i = 0; i < N; i++)
        for (i64 j = 0; j < M; j++) made.p[i * M + j] = v.p[i * v.s[0] + j * v.s[1]];
    return made;
}
template <i64 N, i64 M>
[[gnu::cold, gnu::noinline]] static Small<double, N, M> solve_by_library(
    Run &run, const Small<double, N, N> a, const Small<double, N, M> b) {
    return copied_small<N, M>(solve(run, a, b));
}
// What is a value is looked at as one: as a view it would have to lie in memory.
template <i64 N, i64 M, class A, class B>
INLINE Small<double, N, M> solve_few(Run &run, const A &a, const B &b) {
    Small<double, N, M> x;
    if (LIKELY(solve_small<N>(a, b, x))) return x;
    return solve_by_library<N, M>(run, copied_small<N, N>(a), copied_small<N, M>(b));
}
template <i64 N, class A, class B> INLINE Small<double, N> solve_few(Run &run, const A &a, const B &b) {
    Small<double, N, 1> right;
    for (i64 i = 0; i < N; i++) right.p[i] = b.p[i * b.s[0]];
    const Small<double, N, 1> column = solve_few<N, 1>(run, a, right);
    Small<double, N> x;
    for (i64 i = 0; i < N; i++) x.p[i] = column.p[i];
    return x;
}
template <i64 N, class A> INLINE Small<double, N, N> inverse_few(Run &run, const A &a) {
    Small<double, N, N> ones;
    for (i64 k = 0; k < N * N; k++) ones.p[k] = k % (N + 1) ? 0.0 : 1.0;
    return solve_few<N, N>(run, a, ones);
}
template <i64 N>
[[gnu::cold, gnu::noinline]] static double determinant_by_library(Run &run, const Small<double, N, N> a) {
    return determinant(run, a);
}
template <i64 N, class A> INLINE double determinant_few(Run &run, const A &a) {
    double diagonal[N];
    i64 pivots[N];
    if (LIKELY(factor_small<N>(a, diagonal, pivots))) return product_of_diagonal(diagonal, 1, pivots, N);
    return determinant_by_library<N>(run, copied_small<N, N>(a));
}
template <i64 N>
[[gnu::cold, gnu::noinline]] static Small<double, N, N> cholesky_by_library(Run &run, const Small<double, N, N> a) {
    return copied_small<N, N>(cholesky(run, a));
}
template <i64 N> INLINE Small<double, N, N> cholesky_few(Run &run, const View<double, 2> &a) {
    Small<double, N, N> lower;
    if (LIKELY(cholesky_small(a, lower, N))) return lower;
    return cholesky_by_library<N>(run, copied_small<N, N>(a));
}
