// Eigenvalues of symmetric matrices, singular values: by the routines that NumPy takes
#pragma once
#include "library/linear_algebra.hpp"
#include <vector>

typedef void (*Syevd)(const char *job, const char *half, const i64 *n, double *a, const i64 *lda, double *w,
    double *work, const i64 *space, i64 *places, const i64 *more, i64 *info);
typedef void (*Gesdd)(const char *job, const i64 *m, const i64 *n, double *a, const i64 *lda, double *s,
    double *u, const i64 *ldu, double *vt, const i64 *ldvt, double *work, const i64 *space, i64 *places,
    i64 *info);

// Memory for a routine that says itself how much it wants.
struct Workspace {
    double few[512], *p = few;
    std::vector<double> many;
    i64 size = 1;
    void take(double wanted) {
        size = math::max<i64>(1, (i64)wanted);
        if (size > 512) { many.resize((size_t)size); p = many.data(); }
    }
};

// Eigenvalues, of the lower half; and the vectors, if there is room for them.
static inline void symmetric(Run &run, const View<double, 2> &a, Array<double, 1> *values, Array<double, 2> *vectors) {
    const i64 n = square_size(a), ask = -1, one[1] = {n};
    const char *const job = vectors ? "V" : "N";
    Array<double, 2> columns = by_columns(run, a);
    *values = fresh<double, 1>(run.spare, one, NPY_DOUBLE);
    Workspace work;
    i64 info = 0, places = 0;
    QuietFlags quiet;
    const Syevd decompose = (Syevd)npcompile_lapack[8];
    decompose(job, "L", &n, columns.p, &n, values->p, work.p, &ask, &places, &ask, &info);
    NEED(info == 0);
    work.take(work.p[0]);
    Integers integers(places);
    decompose(job, "L", &n, columns.p, &n, values->p, work.p, &work.size, integers.p, &places, &info);
    NEED(info == 0);
    if (vectors) *vectors = by_columns(run, columns);
}
static inline Array<double, 1> symmetric_values(Run &run, const View<double, 2> &a) {
    Array<double, 1> values;
    symmetric(run, a, &values, nullptr);
    return values;
}

// u @ diag(s) @ vt == a; `full`: all of u's columns and of vt's rows.
static inline void singular(
    Run &run, const View<double, 2> &a, bool full, Array<double, 2> *u, Array<double, 1> *s, Array<double, 2> *vt) {
    const i64 m = a.n[0], n = a.n[1], k = math::min(m, n), ask = -1, one[1] = {k};
    NEED(k > 0);
    const char *const job = !u ? "N" : full ? "A" : "S";
    // Column by column: the routine's u is ours turned, as its vt is.
    const i64 left[2] = {full ? m : k, m}, right[2] = {n, full ? n : k}, lead = u ? right[1] : 1;
    Array<double, 2> columns = by_columns(run, a), us, vts;
    *s = fresh<double, 1>(run.spare, one, NPY_DOUBLE);
    if (u) us = fresh<double, 2>(run.spare, left, NPY_DOUBLE), vts = fresh<double, 2>(run.spare, right, NPY_DOUBLE);
    Workspace work;
    Integers integers(8 * k);
    i64 info = 0;
    QuietFlags quiet;
    const Gesdd decompose = (Gesdd)npcompile_lapack[9];
    const auto go = [&](const i64 *space) {
        decompose(job, &m, &n, columns.p, &m, s->p, us.p, &m, vts.p, &lead, work.p, space, integers.p, &info);
        NEED(info == 0);
    };
    go(&ask);
    work.take(work.p[0]);
    go(&work.size);
    if (u) *u = by_columns(run, us), *vt = by_columns(run, vts);
}
static inline Array<double, 1> singular_values(Run &run, const View<double, 2> &a) {
    Array<double, 1> s;
    singular(run, a, false, nullptr, &s, nullptr);
    return s;
}
