// np.gradient, np.convolve
#pragma once
#include "library/running.hpp"
#include "library/searching.hpp"
#include <vector>

template <class T, int N>
static inline Array<double, N> gradient(Run &run, const View<T, N> &v, int axis, double by) {
    NEED(lies_in_rows(v) && v.n[axis] >= 2);
    Array<double, N> made = fresh<double, N>(run.spare, v.n, NPY_DOUBLE);
    const i64 n = v.n[axis], step = v.s[axis], below = made.s[axis], width = axis == N - 1 ? 1 : v.n[N - 1];
    const i64 beside = axis == N - 1 ? 0 : v.s[N - 1];
    const double twice = 2.0 * by;
    each_line(v, made, axis, axis == N - 1 ? -1 : N - 1, [&](const T *p, double *q, i64) {
        const T *const last = p + (n - 1) * step;
        double *const end = q + (n - 1) * below;
        for (i64 k = 0; k < width; k++) {
            q[k] = ((double)p[step + k * beside] - (double)p[k * beside]) / by;
            end[k] = ((double)last[k * beside] - (double)last[k * beside - step]) / by;
        }
        if (axis == N - 1 && step == 1) {
            for (i64 i = 1; i < n - 1; i++) q[i] = ((double)p[i + 1] - (double)p[i - 1]) / twice;
            return;
        }
        if (axis == N - 1) {
            for (i64 i = 1; i < n - 1; i++)
                q[i] = ((double)p[(i + 1) * step] - (double)p[(i - 1) * step]) / twice;
            return;
        }
        for (i64 i = 1; i < n - 1; i++) {
            const T *const before = p + (i - 1) * step, *const after = p + (i + 1) * step;
            double *const to = q + i * below;
            for (i64 k = 0; k < width; k++)
                to[k] = ((double)after[k * beside] - (double)before[k * beside]) / twice;
        }
    });
    return made;
}

enum { FULL_LENGTH, SAME_LENGTH, VALID_LENGTH };
#define AT_ONCE 64
// The longer one is given first. Where a kernel lies over an end, nothing is added for the rest.
static inline Array<double, 1> correlated(Run &run, const View<double, 1> &a, const View<double, 1> &v,
    int mode, bool turned) {
    const i64 n = a.n[0], m = v.n[0];
    NEED(m > 0 && n >= m);
    const Doubles x(a);
    std::vector<double> kernel((size_t)m);
    for (i64 j = 0; j < m; j++) kernel[j] = v.p[(turned ? m - 1 - j : j) * v.s[0]];
    const i64 first = mode == FULL_LENGTH ? 0 : mode == SAME_LENGTH ? (m - 1) / 2 : m - 1;
    const i64 dims[1] = {mode == FULL_LENGTH ? n + m - 1 : mode == SAME_LENGTH ? n : n - m + 1};
    Array<double, 1> made = fresh<double, 1>(run.spare, dims, NPY_DOUBLE);
    const i64 shift = first - (m - 1);  // of the kernel at the first place
    for (i64 i = 0; i < dims[0];) {
        const i64 from = i + shift;
        if (from >= 0 && from + AT_ONCE - 1 + m <= n && i + AT_ONCE <= dims[0]) {
            double sums[AT_ONCE] = {};
            for (i64 j = 0; j < m; j++) {
                const double by = kernel[j];
                const double *p = x.p + from + j;
                for (int k = 0; k < AT_ONCE; k++) sums[k] = sums[k] + p[k] * by;
            }
            for (int k = 0; k < AT_ONCE; k++) made.p[i + k] = sums[k];
            i += AT_ONCE;
            continue;
        }
        const i64 low = from < 0 ? -from : 0, high = from + m > n ? n - from : m;
        double sum = 0;
        for (i64 j = low; j < high; j++) sum = sum + x.p[from + j] * kernel[j];
        made.p[i++] = sum;
    }
    return made;
}

// np.nan_to_num, by the bits: comparisons would leave flags.
static inline double number_for(double x, double nan, double low, double high) {
    i64 bits;
    std::memcpy(&bits, &x, sizeof bits);
    const i64 size = bits & INT64_MAX, infinite = (i64)0x7ff << 52;
    return size > infinite ? nan : size == infinite ? (bits < 0 ? low : high) : x;
}
