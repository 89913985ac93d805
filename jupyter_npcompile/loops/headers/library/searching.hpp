// np.searchsorted, np.digitize, np.interp
#pragma once
#include "choices.hpp"
#include "numbers.hpp"
#include "library/rearranging.hpp"
#include <vector>

// All elements, row by row, as one row.
template <class T, int N> static inline Array<T, 1> in_a_row(Run &run, const View<T, N> &v) {
    if constexpr (N == 1) return Array<T, 1>(v);
    else {
        const Array<T, N> all = v.contiguous() ? Array<T, N>(v) : dense(run, v, NPY_NOTYPE);
        Array<T, 1> row;
        row.p = all.p;
        row.n[0] = all.size();
        row.s[0] = 1;
        row.b = all.b;
        if (row.b) ++row.b->refs;
        return row;
    }
}
// NumPy says nothing about what happens here: flags are as they were. That is so of comparisons
// with NaN, too: vectorised ones leave a flag.
struct Unheard {
    Run &run;
    const bool silent = true;
    const int flags = fetestexcept(FE_ALL_EXCEPT);
    ~Unheard() {
        if (!silent || fetestexcept(FE_ALL_EXCEPT) == flags) return;
        run.flags |= flags & ~run.ignored;
        feclearexcept(FE_ALL_EXCEPT);
    }
};
// The order in which NumPy sorts: NaN comes last.
template <class C> static inline bool before(C a, C b) {
    if constexpr (std::is_floating_point<C>::value) return lt<C>(a, b) | ((b != b) & (a == a));
    else return a < b;
}
// Whether a key goes behind an element.
template <class C, bool RIGHT> static inline bool goes_behind(C key, C element) {
    return RIGHT ? !before<C>(key, element) : before<C>(element, key);
}
template <class C, class A> static inline bool is_in_order(const View<A, 1> &a) {
    int wrong = 0;
    const i64 s = a.s[0];
    for (i64 k = 0; k + 1 < a.n[0]; k++) wrong |= before<C>((C)a.p[(k + 1) * s], (C)a.p[k * s]);
    return !wrong;
}
template <class C, bool RIGHT, class A>
static inline i64 place_of(const View<A, 1> &a, C key, i64 from, i64 stop) {
    while (from < stop) {
        const i64 middle = from + ((stop - from) >> 1);
        if (goes_behind<C, RIGHT>(key, (C)a.p[middle * a.s[0]])) from = middle + 1; else stop = middle;
    }
    return from;
}
#define WIDE 32  // with fewer the compiler unrolls loops and does not vectorise them
#define KEYS 64  // which are looked for at once
// Where some keys go in an array that is in order. First their smallest and their largest one:
// all others go between, and keys that come in order lie close together.
// Whether all have the same place is returned.
template <class C, bool RIGHT, bool DENSE, class A>
static inline bool places_between(const View<A, 1> &a, const C (&keys)[KEYS], i64 (&at)[KEYS]) {
    C low[WIDE], high[WIDE];
    for (int k = 0; k < WIDE; k++) low[k] = before<C>(keys[k], keys[WIDE + k]) ? keys[k] : keys[WIDE + k];
    for (int k = 0; k < WIDE; k++) high[k] = before<C>(keys[k], keys[WIDE + k]) ? keys[WIDE + k] : keys[k];
    for (int half = WIDE / 2; half; half /= 2)
        for (int k = 0; k < half; k++) {
            low[k] = before<C>(low[k + half], low[k]) ? low[k + half] : low[k];
            high[k] = before<C>(high[k], high[k + half]) ? high[k + half] : high[k];
        }
    const i64 first = place_of<C, RIGHT>(a, low[0], 0, a.n[0]);
    i64 left = place_of<C, RIGHT>(a, high[0], first, a.n[0]) - first;
    const i64 step = DENSE ? 1 : a.s[0];
    for (int k = 0; k < KEYS; k++) at[k] = first;
    if (!left) return true;
    while (left > 0) {  // all keys take the same steps, so that they are vectorised
        const i64 half = left - left / 2;
        left -= half;
#pragma GCC ivdep
        for (int k = 0; k < KEYS; k++)
            at[k] += goes_behind<C, RIGHT>(keys[k], (C)a.p[(at[k] + half - 1) * step]) ? half : 0;
    }
    return false;
}
template <class C, bool RIGHT, class A>
static inline void places_of_some(const View<A, 1> &a, const C (&keys)[KEYS], i64 (&at)[KEYS]) {
    if (a.s[0] == 1) places_between<C, RIGHT, true>(a, keys, at);
    else places_between<C, RIGHT, false>(a, keys, at);
}
// Calls `done(k, key, place)` for all keys; in an array that is in no order places are NumPy's,
// too, which begins each search where the one before has ended.
template <class C, bool RIGHT, class A, class K, class F>
static inline void places_of_all(const View<A, 1> &a, const View<K, 1> &keys, const F &done) {
    const i64 n = a.n[0], count = keys.n[0];
    if (count >= KEYS / 2 && count * 64 > n && is_in_order<C>(a)) {
        C some[KEYS];
        i64 at[KEYS];
        for (i64 k = 0; k < count; k += KEYS) {
            const i64 m = math::min<i64>(KEYS, count - k);
            for (i64 j = 0; j < m; j++) some[j] = (C)keys.p[(k + j) * keys.s[0]];
            for (i64 j = m; j < KEYS; j++) some[j] = some[0];
            places_of_some<C, RIGHT>(a, some, at);
            for (i64 j = 0; j < m; j++) done(k + j, some[j], at[j]);
        }
        return;
    }
    i64 from = 0, stop = n;
    C last{};
    for (i64 k = 0; k < count; k++) {
        const C key = (C)keys.p[k * keys.s[0]];
        if (k == 0 || goes_behind<C, RIGHT>(key, last)) stop = n;
        else { from = 0; stop = stop < n ? stop + 1 : n; }
        last = key;
        from = stop = place_of<C, RIGHT>(a, key, from, stop);
        done(k, key, from);
    }
}
template <class C, bool RIGHT, class A, class K, int N>
static inline Array<i64, N> places_among(Run &run, const View<A, 1> &a, const View<K, N> &keys) {
    const Unheard unheard{run};
    Array<i64, N> made = fresh<i64, N>(run.spare, keys.n, NPY_INT64);
    i64 *to = made.p;
    places_of_all<C, RIGHT>(a, in_a_row(run, keys), [to](i64 k, C, i64 place) { to[k] = place; });
    return made;
}
// Rising, or all the same: 1; falling: -1. Others are errors.
template <class A> static inline int direction(const View<A, 1> &a) {
    int up = 0, down = 0;
    for (i64 k = 0; k + 1 < a.n[0]; k++) {
        const double x = (double)a.p[k * a.s[0]], y = (double)a.p[(k + 1) * a.s[0]];
        NEED(x == x && y == y);
        up |= x < y;
        down |= y < x;
    }
    NEED(!(up && down));
    return down ? -1 : 1;
}
// The bins that rise: those that fall from their end.
template <class A> static inline View<A, 1> rising(const View<A, 1> &bins, int way) {
    View<A, 1> made = bins;
    if (way < 0) { made.p += (bins.n[0] - 1) * bins.s[0]; made.s[0] = -bins.s[0]; }
    return made;
}
template <class C, bool RIGHT, class A>
static inline i64 bin_of(const View<A, 1> &bins, C key) {
    const int way = direction(bins);
    const i64 place = place_of<C, RIGHT>(rising(bins, way), key, 0, bins.n[0]);
    return way < 0 ? bins.n[0] - place : place;
}
template <class C, bool RIGHT, class A, class K, int N>
static inline Array<i64, N> bins_of(Run &run, const View<A, 1> &bins, const View<K, N> &keys) {
    const int way = direction(bins);
    Array<i64, N> made = places_among<C, RIGHT>(run, rising(bins, way), keys);
    const i64 n = bins.n[0], size = made.size();
    if (way < 0) for (i64 k = 0; k < size; k++) made.p[k] = n - made.p[k];
    return made;
}

// Elements as doubles that lie beside each other.
struct Doubles {
    const double *p;
    std::vector<double> copy;
    template <class A> explicit Doubles(const View<A, 1> &a) {
        if constexpr (std::is_same<A, double>::value) {
            p = a.p;
            if (a.s[0] == 1) return;
        }
        copy.resize((size_t)a.n[0]);
        for (i64 k = 0; k < a.n[0]; k++) copy[k] = (double)a.p[k * a.s[0]];
        p = copy.data();
    }
    View<double, 1> view(i64 n) const { return {const_cast<double *>(p), {n}, {1}, nullptr, 0}; }
};
// Straight lines between points.
struct Lines {
    const double *x, *y;
    i64 n;
    double left, right;
    const double *slopes;  // null where there are more lines than there is to compute
    double slope(i64 j) const {
        return slopes ? slopes[j] : (y[j + 1] - y[j]) / (x[j + 1] - x[j]);
    }
    // `place`: how many points lie at `v`, or before it.
    double at(double v, i64 place) const {
        if (v != v) return v;
        const i64 j = place - 1;
        if (j < 0) return left;
        if (x[j] == v) return y[j];
        if (j == n - 1) return right;
        double made = slope(j) * (v - x[j]) + y[j];
        if (made == made) return made;
        made = slope(j) * (v - x[j + 1]) + y[j + 1];  // no number from one side
        return made != made && y[j] == y[j + 1] ? y[j] : made;
    }
    // All of them lie between the same points.
    void on_one(const double (&v)[KEYS], i64 place, i64 count, double *to) const {
        const i64 j = place - 1;
        double made[KEYS];
        int odd = j < 0 || j > n - 2;
        if (!odd) {
            const double x0 = x[j], y0 = y[j], s = slope(j);
            for (int k = 0; k < KEYS; k++) made[k] = s * (v[k] - x0) + y0;
            for (int k = 0; k < KEYS; k++) odd |= made[k] != made[k];
            for (int k = 0; k < KEYS; k++) made[k] = v[k] == x0 ? y0 : made[k];
        }
        if (odd) for (i64 k = 0; k < count; k++) to[k] = at(v[k], place);
        else for (i64 k = 0; k < count; k++) to[k] = made[k];
    }
    template <bool SLOPES>
    void at_some(const double (&v)[KEYS], const i64 (&place)[KEYS], i64 count, double *to) const {
        double line[KEYS], x0[KEYS], y0[KEYS];
        i64 from[KEYS];
        int odd = 0;
        const i64 most = n - 2;
        const double last = x[n - 1], top = y[n - 1], end = right, begin = left;
        for (int k = 0; k < KEYS; k++) from[k] = math::min<i64>(math::max<i64>(place[k] - 1, 0), most);
        for (int k = 0; k < KEYS; k++) { x0[k] = x[from[k]]; y0[k] = y[from[k]]; }
        for (int k = 0; k < KEYS; k++) {
            const double s = SLOPES ? slopes[from[k]] : (y[from[k] + 1] - y0[k]) / (x[from[k] + 1] - x0[k]);
            line[k] = s * (v[k] - x0[k]) + y0[k];
        }
        for (int k = 0; k < KEYS; k++) odd |= line[k] != line[k];
        for (int k = 0; k < KEYS; k++) line[k] = v[k] == x0[k] ? y0[k] : line[k];
        for (int k = 0; k < KEYS; k++) x0[k] = v[k] == last ? top : end;
        for (int k = 0; k < KEYS; k++) line[k] = place[k] > most + 1 ? x0[k] : line[k];
        for (int k = 0; k < KEYS; k++) line[k] = place[k] < 1 ? begin : line[k];
        if (odd) for (i64 k = 0; k < count; k++) to[k] = at(v[k], place[k]);
        else for (i64 k = 0; k < count; k++) to[k] = line[k];
    }
};
template <class X, class A, class B>
static inline void interpolate(Run &run, const View<X, 1> &v, const View<A, 1> &xp, const View<B, 1> &fp,
    const double *left, const double *right, double *to) {
    const i64 n = xp.n[0], count = v.n[0];
    NEED(n > 0 && fp.n[0] == n);
    const Unheard unheard{run};
    const Doubles x(xp), y(fp);
    int wrong = x.p[0] != x.p[0];
    for (i64 k = 0; k + 1 < n; k++) wrong |= !le<double>(x.p[k], x.p[k + 1]);
    NEED(!wrong);
    Lines lines{x.p, y.p, n, left ? *left : y.p[0], right ? *right : y.p[n - 1], nullptr};
    const View<double, 1> points = x.view(n);
    if (count < KEYS / 4 || n < 2) {
        for (i64 k = 0; k < count; k++) {
            const double one = (double)v.p[k * v.s[0]];
            to[k] = lines.at(one, place_of<double, true>(points, one, 0, n));
        }
        return;
    }
    std::vector<double> slopes;
    if (n <= count) {
        slopes.resize((size_t)n - 1);
        for (i64 k = 0; k + 1 < n; k++) slopes[k] = (y.p[k + 1] - y.p[k]) / (x.p[k + 1] - x.p[k]);
        lines.slopes = slopes.data();
    }
    double some[KEYS];
    i64 at[KEYS];
    for (i64 k = 0; k < count; k += KEYS) {
        const i64 m = math::min<i64>(KEYS, count - k);
        for (i64 j = 0; j < m; j++) some[j] = (double)v.p[(k + j) * v.s[0]];
        for (i64 j = m; j < KEYS; j++) some[j] = some[0];
        if (places_between<double, true, true>(points, some, at)) lines.on_one(some, at[0], m, to + k);
        else if (lines.slopes) lines.at_some<true>(some, at, m, to + k);
        else lines.at_some<false>(some, at, m, to + k);
    }
}
template <class X, int N, class A, class B>
static inline Array<double, N> interpolated(Run &run, const View<X, N> &v, const View<A, 1> &xp,
    const View<B, 1> &fp, const double *left, const double *right) {
    Array<double, N> made = fresh<double, N>(run.spare, v.n, NPY_DOUBLE);
    interpolate(run, in_a_row(run, v), xp, fp, left, right, made.p);
    return made;
}
template <class A, class B>
static inline double interpolated(Run &run, double v, const View<A, 1> &xp, const View<B, 1> &fp,
    const double *left, const double *right) {
    double made;
    interpolate(run, View<double, 1>{&v, {1}, {1}, nullptr, 0}, xp, fp, left, right, &made);
    return made;
}
