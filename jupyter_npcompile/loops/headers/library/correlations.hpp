// np.cov, np.corrcoef
#pragma once
#include "choices.hpp"
#include "library/reductions.hpp"
#include "threads.hpp"
#include <vector>

static inline Array<double, 2> covariances(Run &run, const View<double, 2> &rows, i64 ddof) {
    const i64 r = rows.n[0], n = rows.n[1], dims[2] = {r, r};
    NEED(r > 1 && n > ddof && n > 0);
    Array<double, 2> made = fresh<double, 2>(run.spare, dims, NPY_DOUBLE);
    std::vector<double> apart((size_t)(r * n));
    for (i64 i = 0; i < r; i++) {
        const double *p = rows.p + i * rows.s[0];
        const i64 step = rows.s[1];
        const double mean = pairwise<double>([p, step](i64 k) { return p[k * step]; }, 0, n) / (double)n;
        double *to = apart.data() + i * n;
        for (i64 k = 0; k < n; k++) to[k] = p[k * step] - mean;
    }
    const double by = 1.0 / (double)(n - ddof);
    for (i64 i = 0; i < r; i++)
        for (i64 j = 0; j <= i; j++) {
            const double one = dot<double>(apart.data() + i * n, 1, apart.data() + j * n, 1, n) * by;
            made.p[i * r + j] = made.p[j * r + i] = one;
        }
    return made;
}
static inline Array<double, 2> correlations(Run &run, const View<double, 2> &rows) {
    Array<double, 2> made = covariances(run, rows, 1);
    const i64 r = made.n[0];
    std::vector<double> spread((size_t)r);
    for (i64 i = 0; i < r; i++) spread[i] = math::sqrt(made.p[i * r + i]);
    for (i64 i = 0; i < r; i++)
        for (i64 j = 0; j < r; j++) {
            const double one = made.p[i * r + j] / spread[i] / spread[j];
            made.p[i * r + j] = np_min<double>(np_max<double>(one, -1.0), 1.0);
        }
    return made;
}
