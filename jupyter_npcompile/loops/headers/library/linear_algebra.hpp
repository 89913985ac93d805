// Linear algebra: the library that NumPy itself calls, without the way through Python
#pragma once
#include "indices.hpp"
#include "numbers.hpp"
#include "library/rearranging.hpp"
#include "library/small_matrices.hpp"
#include <vector>

// Where its functions are, filled by who loads this: see `linear_algebra.addresses`.
extern "C" __attribute__((visibility("default"))) void *npcompile_lapack[10] = {};

typedef void (*Gesv)(const i64 *n, const i64 *columns, double *a, const i64 *lda, i64 *pivots, double *b,
    const i64 *ldb, i64 *info);
typedef void (*Getrf)(const i64 *m, const i64 *n, double *a, const i64 *lda, i64 *pivots, i64 *info);
typedef void (*Potrf)(const char *half, const i64 *n, double *a, const i64 *lda, i64 *info);
typedef void (*Geqrf)(const i64 *m, const i64 *n, double *a, const i64 *lda, double *tau, double *work,
    const i64 *space, i64 *info);
typedef void (*Orgqr)(const i64 *m, const i64 *n, const i64 *k, double *a, const i64 *lda, const double *tau,
    double *work, const i64 *space, i64 *info);
typedef void (*Gemm)(int order, int left, int right, i64 m, i64 n, i64 k, double alpha, const double *a,
    i64 lda, const double *b, i64 ldb, double beta, double *c, i64 ldc);
typedef void (*Gemv)(int order, int turned, i64 m, i64 n, double alpha, const double *a, i64 lda,
    const double *x, i64 step, double beta, double *y, i64 other);
typedef void (*Syrk)(int order, int half, int turned, i64 n, i64 k, double alpha, const double *a, i64 lda,
    double beta, double *c, i64 ldc);

// NumPy does not look at the flags that these leave behind.
struct QuietFlags {
    fexcept_t kept;
    QuietFlags() { fegetexceptflag(&kept, FE_ALL_EXCEPT); }
    ~QuietFlags() { fesetexceptflag(&kept, FE_ALL_EXCEPT); }
};

// The elements column by column, or of columns row by row.
static inline Array<double, 2> by_columns(Run &run, const View<double, 2> &v) {
    const i64 n[2] = {v.n[1], v.n[0]};
    Array<double, 2> a = fresh<double, 2>(run.spare, n, NPY_DOUBLE);
    for (i64 i = 0; i < v.n[0]; i++)
        for (i64 j = 0; j < v.n[1]; j++) a.p[j * v.n[0] + i] = v.p[i * v.s[0] + j * v.s[1]];
    return a;
}
// Integers that LAPACK writes: pivots, or what it works with.
struct Integers {
    i64 few[32];
    std::vector<i64> many;
    i64 *p;
    explicit Integers(i64 n) : p(few) { if (n > 32) { many.resize(n); p = many.data(); } }
};
static inline i64 square_size(const View<double, 2> &a) { NEED(a.n[0] == a.n[1] && a.n[0] > 0); return a.n[0]; }

static inline View<double, 2> as_column(const View<double, 1> &v) { return {v.p, {v.n[0], 1}, {v.s[0], 1}, v.b, 0}; }

// x of a @ x == b; what is singular is left to NumPy, which raises.
static inline void solve_columns(Run &run, const View<double, 2> &a, double *x, i64 columns) {
    const i64 n = square_size(a);
    Array<double, 2> lu = by_columns(run, a);
    Integers pivots(n);
    i64 info = 0;
    QuietFlags quiet;
    ((Gesv)npcompile_lapack[0])(&n, &columns, lu.p, &n, pivots.p, x, &n, &info);
    NEED(info == 0);
}
static inline Array<double, 1> solve(Run &run, const View<double, 2> &a, const View<double, 1> &b) {
    NEED(b.n[0] == a.n[0]);
    if (is_small(square_size(a))) {
        const i64 n[1] = {b.n[0]};
        Array<double, 1> x = fresh<double, 1>(run.spare, n, NPY_DOUBLE);
        if (solve_small(a, as_column(b), as_column(x))) return x;
    }
    Array<double, 1> x = dense(run, b, NPY_DOUBLE);
    solve_columns(run, a, x.p, 1);
    return x;
}
static inline Array<double, 2> solve(Run &run, const View<double, 2> &a, const View<double, 2> &b) {
    NEED(b.n[0] == a.n[0] && b.n[1] > 0);
    if (is_small(square_size(a))) {
        const i64 n[2] = {b.n[0], b.n[1]};
        Array<double, 2> x = fresh<double, 2>(run.spare, n, NPY_DOUBLE);
        if (solve_small(a, b, x)) return x;
    }
    Array<double, 2> x = by_columns(run, b);
    solve_columns(run, a, x.p, b.n[1]);
    return by_columns(run, x);
}
static inline Array<double, 2> inverse(Run &run, const View<double, 2> &a) {
    const i64 n[2] = {square_size(a), a.n[0]};
    Array<double, 2> x = fresh<double, 2>(run.spare, n, NPY_DOUBLE);
    const auto ones = [&] { for (i64 k = 0; k < n[0] * n[0]; k++) x.p[k] = k % (n[0] + 1) ? 0.0 : 1.0; };
    ones();
    if (is_small(n[0])) {
        if (solve_small(a, x, x)) return x;
        ones();
    }
    solve_columns(run, a, x.p, n[0]);
    return by_columns(run, x);
}
// From the logarithm of its size, as NumPy has it, which warns of what happens here.
INLINE double product_of_diagonal(const double *diagonal, i64 step, const i64 *pivots, i64 n) {
    double sign = 1.0, size = 0.0;
    for (i64 k = 0; k < n; k++) {
        const double element = diagonal[k * step];
        if ((pivots[k] != k + 1) != (element < 0)) sign = -sign;
        size += math::log(math::fabs(element));
    }
    return sign * math::exp(size);
}
static inline double determinant(Run &run, const View<double, 2> &a) {
    const i64 n = square_size(a);
    Array<double, 2> lu;
    Integers pivots(n);
    double few[SMALL_ROWS], *diagonal = few;
    i64 step = 1, info = 0;
    if (!is_small(n) || !factor_small(a, few, pivots.p)) {
        lu = by_columns(run, a);
        ((Getrf)npcompile_lapack[1])(&n, &n, lu.p, &n, pivots.p, &info);
        NEED(info >= 0);
        if (info > 0) return 0.0;
        diagonal = lu.p;
        step = n + 1;
    }
    return product_of_diagonal(diagonal, step, pivots.p, n);
}
static inline Array<double, 2> cholesky(Run &run, const View<double, 2> &a) {
    const i64 n = square_size(a);
    if (is_small(n)) {
        const i64 shape[2] = {n, n};
        Array<double, 2> factor = fresh<double, 2>(run.spare, shape, NPY_DOUBLE);
        if (cholesky_small(a, factor, n)) return factor;
    }
    Array<double, 2> lower = by_columns(run, a);
    i64 info = 0;
    QuietFlags quiet;
    ((Potrf)npcompile_lapack[2])("L", &n, lower.p, &n, &info);
    NEED(info == 0);
    for (i64 j = 1; j < n; j++)
        for (i64 i = 0; i < j; i++) lower.p[j * n + i] = 0.0;
    return by_columns(run, lower);
}
// q @ r == a, in the blocks that the library chooses for NumPy, too.
static inline void orthogonal(Run &run, const View<double, 2> &a, Array<double, 2> *q, Array<double, 2> *r) {
    const i64 m = a.n[0], n = a.n[1], k = math::min(m, n), ask = -1;
    NEED(k > 0);
    Array<double, 2> raw = by_columns(run, a);
    std::vector<double> tau(k), work(1);
    i64 info = 0;
    QuietFlags quiet;
    const Geqrf reduce = (Geqrf)npcompile_lapack[5];
    const Orgqr expand = (Orgqr)npcompile_lapack[6];
    reduce(&m, &n, raw.p, &m, tau.data(), work.data(), &ask, &info);
    i64 space = math::max<i64>({1, n, (i64)work[0]});
    work.resize(space);
    reduce(&m, &n, raw.p, &m, tau.data(), work.data(), &space, &info);
    NEED(info == 0);
    const i64 wide[2] = {k, n}, square[2] = {k, m};
    *r = fresh<double, 2>(run.spare, wide, NPY_DOUBLE);
    for (i64 i = 0; i < k; i++)
        for (i64 j = 0; j < n; j++) r->p[i * n + j] = j < i ? 0.0 : raw.p[j * m + i];
    Array<double, 2> columns = fresh<double, 2>(run.spare, square, NPY_DOUBLE);
    copied(raw.p, k * m, columns.p);
    expand(&m, &k, &k, columns.p, &m, tau.data(), work.data(), &ask, &info);
    space = math::max<i64>({1, k, (i64)work[0]});
    work.resize(space);
    expand(&m, &k, &k, columns.p, &m, tau.data(), work.data(), &space, &info);
    NEED(info == 0);
    *q = by_columns(run, columns);
}

static inline i64 distance(i64 step) { return step < 0 ? -step : step; }
// Whether elements of a column lie closer to each other than those of a row.
template <class T> static inline bool lies_by_columns(const View<T, 2> &v) {
    return v.n[0] > 1 && v.n[1] > 1 && distance(v.s[0]) < distance(v.s[1]);
}
enum { ROWS = 101, PLAIN = 111, TURNED = 112, UPPER = 121 };
// A matrix as the library wants it: rows or columns one after the other.
struct Operand {
    Array<double, 2> a;
    int turned;
    i64 lead;
    Operand(Run &run, const View<double, 2> &v) : a(v), turned(PLAIN), lead(math::max<i64>(v.n[1], 1)) {
        const bool rows = v.s[1] == 1 || v.n[1] <= 1, columns = v.s[0] == 1 || v.n[0] <= 1;
        if (rows && (v.n[0] <= 1 || v.s[0] >= lead)) {
            if (v.n[0] > 1) lead = v.s[0];
        } else if (columns && (v.n[1] <= 1 || v.s[1] >= math::max<i64>(v.n[0], 1))) {
            turned = TURNED;
            lead = v.n[1] > 1 ? v.s[1] : math::max<i64>(v.n[0], 1);
        } else {
            a = dense(run, v, NPY_DOUBLE);
        }
    }
};
// The library takes the size of a matrix as it lies in memory.
static inline void multiply(Run &run, const Operand &m, bool other, const View<double, 1> &x, double *to) {
    Array<double, 1> from(x);
    if (x.s[0] <= 0) from = dense(run, x, NPY_DOUBLE);
    const bool lies_turned = m.turned == TURNED;
    const i64 rows = m.a.n[lies_turned], columns = m.a.n[!lies_turned];
    ((Gemv)npcompile_lapack[4])(ROWS, lies_turned != other ? TURNED : PLAIN, rows, columns, 1.0, m.a.p, m.lead,
        from.p, from.s[0], 0.0, to, 1);
}
// m @ m.T, of which the library computes one half.
static inline void multiply_by_itself(const Operand &m, double *to) {
    const i64 n = m.a.n[0];
    ((Syrk)npcompile_lapack[7])(ROWS, UPPER, m.turned, n, m.a.n[1], 1.0, m.a.p, m.lead, 0.0, to, n);
    for (i64 i = 1; i < n; i++)
        for (i64 j = 0; j < i; j++) to[i * n + j] = to[j * n + i];
}
// Column by row: each product is one of two numbers, added to zero.
static inline void multiply_outer(const View<double, 2> &a, const View<double, 2> &b, double *to) {
    const i64 m = a.n[0], n = b.n[1], s = b.s[1];
    for (i64 i = 0; i < m; i++, to += n) {
        const double x = a.p[i * a.s[0]], *row = b.p;
        if (s == 1) {
#pragma GCC ivdep
            for (i64 j = 0; j < n; j++) to[j] = 0.0 + x * row[j];
        } else {
            for (i64 j = 0; j < n; j++) to[j] = 0.0 + x * row[j * s];
        }
    }
}
// By the routine that NumPy takes, so that sums are rounded as there.
static inline void multiply(Run &run, const View<double, 2> &a, const View<double, 2> &b, double *to) {
    const i64 m = a.n[0], n = b.n[1], k = a.n[1];
    if (n == 1) {
        multiply(run, Operand(run, a), false, View<double, 1>{b.p, {k}, {b.s[0]}, b.b, 0}, to);
    } else if (m == 1) {
        multiply(run, Operand(run, b), true, View<double, 1>{a.p, {k}, {a.s[1]}, a.b, 0}, to);
    } else if (k == 1) {
        multiply_outer(a, b, to);
    } else {
        const Operand left(run, a), right(run, b);
        const bool same = a.p == b.p && m == n && a.s[0] == b.s[1] && a.s[1] == b.s[0];
        if (same && left.a.p == right.a.p && left.turned != right.turned) return multiply_by_itself(left, to);
        ((Gemm)npcompile_lapack[3])(ROWS, left.turned, right.turned, m, n, k, 1.0, left.a.p, left.lead, right.a.p,
            right.lead, 0.0, to, n);
    }
}
static inline Array<double, 2> multiply(Run &run, const View<double, 2> &a, const View<double, 2> &b) {
    NEED(a.n[1] == b.n[0] && a.size() > 0 && b.size() > 0);
    const i64 n[2] = {a.n[0], b.n[1]};
    Array<double, 2> c = fresh<double, 2>(run.spare, n, NPY_DOUBLE);
    multiply(run, a, b, c.p);
    return c;
}
// The matrices of a stack: which one is at a place, and how they lie.
template <int N> static inline View<double, 2> matrix_of(const View<double, N> &a, const i64 (&n)[N], i64 place) {
    View<double, 2> m = {a.p, {a.n[N - 2], a.n[N - 1]}, {a.s[N - 2], a.s[N - 1]}, nullptr, 0};
    for (int d = N - 3; d >= 0; d--) {
        if (a.n[d] > 1) m.p += place % n[d] * a.s[d];
        place /= n[d];
    }
    return m;
}
template <int N> static inline bool is_odd_stack(const View<double, N> &a) {
    View<double, N - 2> outer = {a.p, {}, {}, a.b, 0};
    for (int d = 0; d < N - 2; d++) { outer.n[d] = a.n[d]; outer.s[d] = a.s[d]; }
    return N > 3 && is_odd(outer);
}
// Their products, one by one, as NumPy makes them.
template <int N> static Array<double, N> multiply_stacks(Run &run, const View<double, N> &a, const View<double, N> &b) {
    NEED(a.n[N - 1] == b.n[N - 2] && a.size() > 0 && b.size() > 0 && !is_odd_stack(a) && !is_odd_stack(b));
    i64 n[N], count = 1;
    for (int d = 0; d < N - 2; d++) count *= n[d] = broadcast(a.n[d], b.n[d]);
    n[N - 2] = a.n[N - 2];
    n[N - 1] = b.n[N - 1];
    Array<double, N> c = fresh<double, N>(run.spare, n, NPY_DOUBLE);
    for (i64 k = 0; k < count; k++)
        multiply(run, matrix_of(a, n, k), matrix_of(b, n, k), c.p + k * n[N - 2] * n[N - 1]);
    return c;
}
static inline Array<double, 1> multiply(Run &run, const Operand &m, bool other, i64 out, const View<double, 1> &x) {
    const i64 n[1] = {out};
    Array<double, 1> y = fresh<double, 1>(run.spare, n, NPY_DOUBLE);
    multiply(run, m, other, x, y.p);
    return y;
}
static inline Array<double, 1> multiply(Run &run, const View<double, 2> &a, const View<double, 1> &x) {
    NEED(a.n[1] == x.n[0] && a.size() > 0);
    return multiply(run, Operand(run, a), false, a.n[0], x);
}
static inline Array<double, 1> multiply(Run &run, const View<double, 1> &x, const View<double, 2> &a) {
    NEED(a.n[0] == x.n[0] && a.size() > 0);
    return multiply(run, Operand(run, a), true, a.n[1], x);
}
