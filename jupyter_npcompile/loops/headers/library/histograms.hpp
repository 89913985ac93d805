// np.bincount, np.histogram, np.histogram2d
#pragma once
#include "numbers.hpp"
#include "library/reductions.hpp"
#include "library/searching.hpp"
#include <algorithm>
#include <utility>
#include <vector>

#define FEW_BINS 1024
// How often each bin comes up, in tables that are not counted up in turns only: one that is
// written and read again at once is waited for.
struct Tally {
    i64 bins;
    std::vector<i64> first;
    std::vector<uint32_t> others;
    i64 seen = 0;
    explicit Tally(i64 bins) : bins(bins), first((size_t)bins) {}
    template <class I> void add(const I *places, i64 count) {
        i64 *const one = first.data();
        i64 k = 0;
        if (bins <= FEW_BINS && count >= 64) {
            if (others.empty()) others.resize((size_t)(3 * bins));
            if ((seen += count) >= (i64)1 << 31) merge();
            uint32_t *const two = others.data(), *const three = two + bins, *const four = three + bins;
            for (; k + 4 <= count; k += 4) {
                const I a = places[k], b = places[k + 1], c = places[k + 2], d = places[k + 3];
                ++one[a]; ++two[b]; ++three[c]; ++four[d];
            }
        }
        for (; k < count; k++) ++one[places[k]];
    }
    void merge() {
        if (others.empty()) return;
        for (i64 k = 0; k < bins; k++)
            first[k] += (i64)others[k] + others[bins + k] + others[2 * bins + k];
        std::fill(others.begin(), others.end(), 0);
        seen = 0;
    }
    void grow(i64 to) {
        merge();
        others.clear();
        first.resize((size_t)(bins = to));
    }
};

#define BLOCK 1024  // places that are found at once
// A row of an array, or of an expression, some of it at a time. (Not all of it is computed before
// it is used: what comes from memory then would not come while something else is done.)
template <class T> struct Row {
    const T *p;
    i64 step;
    T operator()(i64 k) const { return p[k * step]; }
};
template <class T> static inline const T *some_of(const Row<T> &row, i64 from, i64 count, T *to) {
    if (row.step == 1) return row.p + from;
    for (i64 k = 0; k < count; k++) to[k] = row(from + k);
    return to;
}
template <class T, class One> static inline const T *some_of(const One &one, i64 from, i64 count, T *to) {
#pragma GCC ivdep
    for (i64 k = 0; k < count; k++) to[k] = (T)one(from + k);
    return to;
}
template <class T> static inline void see(const T *p, i64 count, T &most, T &bits) {
    T high = most, all = bits;
    for (i64 k = 0; k < count; k++) {
        high = p[k] > high ? p[k] : high;
        all |= p[k];
    }
    most = high, bits = all;
}
// Bins of whole numbers, some of them at a time: `grow` is told how many bins there have to be
// before `add` gets the next numbers, their first place and their count. So all of it comes from
// memory once. Returns how many bins there are in the end.
#define MANY_BINS 65536
template <class T, class One, class Grow, class Add>
static inline i64 binned(i64 count, const One &one, i64 least, const Grow &grow, const Add &add) {
    NEED(least >= 0);
    T most = 0, bits = 0, some[BLOCK];
    i64 bins = least, there = -1;
    for (i64 k = 0; k < count; k += BLOCK) {
        const i64 m = math::min<i64>(BLOCK, count - k);
        const T *p = some_of(one, k, m, some);
        see(p, m, most, bits);
        NEED(bits >= 0);  // no sign among them
        bins = math::max<i64>(least, (i64)most + 1);
        if (bins > there && bins > MANY_BINS && m < count - k) {
            // A table that grows would take as much memory again.
            for (i64 j = k + m; j < count; j += BLOCK) {
                const i64 size = math::min<i64>(BLOCK, count - j);
                see(some_of(one, j, size, some), size, most, bits);
            }
            NEED(bits >= 0);
            bins = math::max<i64>(least, (i64)most + 1);
            p = some_of(one, k, m, some);
        }
        if (bins > there) grow(there = bins > MANY_BINS || m == count ? bins : math::max<i64>(bins, 2 * there));
        add(p, k, m);
    }
    if (there < 0) grow(bins);
    return bins;
}
template <class C> static inline Array<C, 1> first_bins(Run &run, const std::vector<C> &table, i64 bins, int type) {
    const i64 n[1] = {bins};
    Array<C, 1> made = fresh<C, 1>(run.spare, n, type);
    copied(table.data(), bins, made.p);
    return made;
}
template <class T, class One>
static inline Array<i64, 1> counted(Run &run, i64 count, const One &one, i64 least) {
    Tally tally(0);
    const i64 bins = binned<T>(
        count, one, least, [&](i64 to) { tally.grow(to); }, [&](const T *p, i64, i64 m) { tally.add(p, m); });
    tally.merge();
    return first_bins<i64>(run, tally.first, bins, NPY_INT64);
}
template <class T, bool DEAR, class One, class Weight>
static inline Array<double, 1> weighed(Run &run, i64 count, const One &one, const Weight &weight, i64 least) {
    NEED(count > 0);  // without elements NumPy counts
    std::vector<double> sums;
    const i64 bins = binned<T>(
        count, one, least, [&](i64 to) { sums.resize((size_t)to); },
        [&](const T *p, i64 from, i64 m) {
            double *const to = sums.data();
            const Weight own = weight;
            if (DEAR) {
                double weights[BLOCK];
                some_of(weight, from, m, weights);
                for (i64 k = 0; k < m; k++) to[p[k]] += weights[k];
            } else for (i64 k = 0; k < m; k++) to[p[k]] += (double)own(from + k);
        });
    return first_bins<double>(run, sums, bins, NPY_DOUBLE);
}

// Edges of bins of one width, computed as np.linspace does.
template <class E> struct Even {
    E first, last, step;
    i64 bins;
    Even(E first, E last, i64 bins) : first(first), last(last), step((last - first) / (E)bins), bins(bins) {
        NEED(bins > 0 && bins < 1 << 24 && math::isfinite(first) && math::isfinite(last));
        NEED(math::isfinite(step) && step != 0);
    }
    E edge(int k) const { return (E)k * step + first; }  // all but the last one
    template <class C> Array<C, 1> all(Run &run, int type) const {
        const i64 n[1] = {bins + 1};
        Array<C, 1> made = fresh<C, 1>(run.spare, n, type);
        for (int k = 0; k < bins; k++) made.p[k] = (C)edge(k);
        made.p[bins] = (C)last;
        return made;
    }
};
// Bins of one width: where an element lies far enough from all edges, rounding does not decide
// which bin it is in, and no edge is looked at.
#define SOME (4 * KEYS)  // places that are found at once
struct Clear {
    double first = 0, last = 0, by = 0, doubt = 1;
    int bins = 0;
    Clear() = default;
    Clear(double first, double last, double step, i64 count) : first(first), last(last), by(1 / step), bins((int)count) {
        // Edges, and the place of an element among them, are rounded a few times each.
        doubt = 0x1p-50 * ((double)count + (math::fabs(first) + math::fabs(last)) * by);
    }
    // Places from `base` on, another one below and another one above all bins, and for NaN; the last
    // bin has both its edges. False where some are in doubt. (Steps that all processors have for
    // vectors: a large sum rounds, signs are gathered as bits.)
    bool places(const double *x, i64 count, int *at, int base, int below, int above) const {
        if (!(doubt < 0.25)) return false;
        const double first = this->first, last = this->last, by = this->by, doubt = this->doubt;
        const double top = bins - 0.5, low = below + 0.25, high = above + 0.25, from = base;
        double to[SOME];
        i64 signs = 0;
        for (i64 k = 0; k < count; k++) {
            const double v = x[k], scaled = (v - first) * by;
            // Between the outer edges, which decide by themselves.
            const double lifted = scaled < 0.5 ? 0.5 : scaled, place = lifted > top ? top : lifted;
            const double away = math::fabs(place - ((place + 0x1p52) - 0x1p52)) - doubt;
            i64 bits;
            std::memcpy(&bits, &away, sizeof bits);
            signs |= bits;
            const double within = le<double>(v, last) ? place + from : high;
            to[k] = lt<double>(v, first) ? low : within;
        }
        for (i64 k = 0; k < count; k++) at[k] = (int)to[k];
        return signs >= 0;
    }
};
template <class C> static inline bool is_rising(const View<C, 1> &edges) {
    int wrong = 0;
    for (i64 k = 0; k + 1 < edges.n[0]; k++) wrong |= !lt<C>(edges.p[k], edges.p[k + 1]);
    return !wrong;
}
// The smallest and the largest element; infinite ones and NaN are errors.
template <class T> static inline std::pair<T, T> extent(const View<T, 1> &x) {
    const i64 n = x.n[0], s = x.s[0];
    T low[WIDE], high[WIDE];
    int odd = 0;
    for (int k = 0; k < WIDE; k++) low[k] = high[k] = x.p[0];
    i64 from = 0;
    if (s == 1)
        for (; from + WIDE <= n; from += WIDE) {
            const T *const p = x.p + from;
            for (int k = 0; k < WIDE; k++) low[k] = lt<T>(p[k], low[k]) ? p[k] : low[k];
            for (int k = 0; k < WIDE; k++) high[k] = lt<T>(high[k], p[k]) ? p[k] : high[k];
            for (int k = 0; k < WIDE; k++) odd |= p[k] != p[k];
        }
    for (; from < n; from++) {
        const T v = x.p[from * s];
        low[0] = lt<T>(v, low[0]) ? v : low[0];
        high[0] = lt<T>(high[0], v) ? v : high[0];
        odd |= v != v;
    }
    for (int k = 1; k < WIDE; k++) { low[0] = math::min(low[0], low[k]); high[0] = math::max(high[0], high[k]); }
    NEED(!odd);
    return {low[0], high[0]};
}
// What NumPy puts between elements and bins. T: elements; K: in which they are compared with the
// outer edges; C: the dtype of the edges; E: in which they were computed; Q: in which it divides.
template <class T, class K, class C, class E, class Q> struct Binning {
    K low, high;
    C first;
    Q width;
    Even<E> even;
    Clear clear;
    Binning(K low, K high, C first, Q width, const Even<E> &even)
        : low(low), high(high), first(first), width(width), even(even) {
        NEED(math::isfinite(width));
        if constexpr (ALL_DOUBLE)
            if (low == even.first && high == even.last) clear = Clear(low, high, even.step, even.bins);
    }
    static constexpr bool ALL_DOUBLE = std::is_same<T, double>::value && std::is_same<K, double>::value &&
        std::is_same<C, double>::value && std::is_same<E, double>::value && std::is_same<Q, double>::value;
    // Elements that lie in no bin have one of their own, behind all others. (Several loops, for the
    // compiler would give one of them branches.)
    void places(const T *p, i64 step, i64 count, int *to) const {
        if constexpr (ALL_DOUBLE) {
            i64 k = 0;
            const int outside = (int)even.bins;
            for (; step == 1 && k < count; k += SOME)
                if (!clear.places(p + k, math::min<i64>(SOME, count - k), to + k, 0, outside, outside)) break;
            if (k >= count) return;
            p += k * step, to += k, count -= k;
        }
        const int bins = (int)even.bins, top = bins - 1;
        const E start = even.first, by = even.step;
        const C none = first;
        C x[BLOCK];
        int in[BLOCK];
        if (step == 1) for (i64 k = 0; k < count; k++) in[k] = ge<K>((K)p[k], low) & le<K>((K)p[k], high);
        else for (i64 k = 0; k < count; k++) in[k] = ge<K>((K)p[k * step], low) & le<K>((K)p[k * step], high);
        if (step == 1) for (i64 k = 0; k < count; k++) { const C v = (C)p[k]; x[k] = in[k] ? v : none; }
        else for (i64 k = 0; k < count; k++) { const C v = (C)p[k * step]; x[k] = in[k] ? v : none; }
        int wrong[BLOCK];
        for (i64 k = 0; k < count; k++) {
            const int at = (int)((Q)(x[k] - none) / width * (Q)bins);
            to[k] = at < top ? at : top;
        }
        for (i64 k = 0; k < count; k++) wrong[k] = lt<C>(x[k], (C)((E)to[k] * by + start)) ? -1 : 0;
        for (i64 k = 0; k < count; k++) wrong[k] += ge<C>(x[k], (C)((E)(to[k] + 1) * by + start)) ? 1 : 0;
        for (i64 k = 0; k < count; k++) {  // the last bin has both its edges
            const int by = wrong[k] > top - to[k] ? 0 : wrong[k];
            to[k] = in[k] ? to[k] + by : bins;
        }
    }
};
template <class T, class K, class C, class E, class Q>
static inline Array<i64, 1> histogram(Run &run, const View<T, 1> &x, const Binning<T, K, C, E, Q> &binning) {
    const i64 n[1] = {binning.even.bins};
    const Unheard unheard{run};
    Array<i64, 1> made = fresh<i64, 1>(run.spare, n, NPY_INT64);
    Tally tally(n[0] + 1);
    int at[BLOCK];
    for (i64 k = 0; k < x.n[0]; k += BLOCK) {
        const i64 m = math::min<i64>(BLOCK, x.n[0] - k);
        binning.places(x.p + k * x.s[0], x.s[0], m, at);
        tally.add(at, m);
    }
    tally.merge();
    copied(tally.first.data(), (i64)tally.first.size() - 1, made.p);
    return made;
}
// NumPy adds the weights of so many elements as doubles, and then to the others in their dtype.
#define CHUNK 65536
template <class T, class K, class C, class E, class Q, class W>
static inline Array<W, 1> histogram(Run &run, const View<T, 1> &x, const Binning<T, K, C, E, Q> &binning,
    const View<W, 1> &weights, int type) {
    NEED(weights.n[0] == x.n[0]);
    const i64 n[1] = {binning.even.bins};
    Array<W, 1> made = fresh<W, 1>(run.spare, n, type);
    for (i64 j = 0; j < n[0]; j++) made.p[j] = 0;
    std::vector<double> sums((size_t)n[0] + 1);
    int at[BLOCK];
    for (i64 chunk = 0; chunk < x.n[0]; chunk += CHUNK) {
        const i64 end = math::min<i64>(chunk + CHUNK, x.n[0]);
        std::fill(sums.begin(), sums.end(), 0.0);
        for (i64 k = chunk; k < end; k += BLOCK) {
            const i64 m = math::min<i64>(BLOCK, end - k);
            binning.places(x.p + k * x.s[0], x.s[0], m, at);
            const W *w = weights.p + k * weights.s[0];
            for (i64 j = 0; j < m; j++) sums[at[j]] += (double)w[j * weights.s[0]];
        }
        for (i64 j = 0; j < n[0]; j++) {
            if constexpr (std::is_floating_point<W>::value) made.p[j] = made.p[j] + (W)sums[j];
            else made.p[j] = (W)(made.p[j] + element<W>(sums[j]));
        }
    }
    return made;
}
// Bins between any edges in order, each with its left one, and the last one with both.
template <class C, class T, class B>
static inline Array<i64, 1> histogram_between(Run &run, const View<T, 1> &x, const View<B, 1> &edges) {
    NEED(edges.n[0] >= 2);
    const i64 bins = edges.n[0] - 1, n[1] = {bins};
    for (i64 k = 0; k <= bins; k++) NEED(edges.p[k * edges.s[0]] == edges.p[k * edges.s[0]]);
    NEED(is_in_order<C>(edges));
    const C last = (C)edges.p[bins * edges.s[0]];
    const Unheard unheard{run};
    Array<i64, 1> made = fresh<i64, 1>(run.spare, n, NPY_INT64);
    Tally tally(bins + 2);
    C some[KEYS];
    i64 at[KEYS];
    for (i64 k = 0; k < x.n[0]; k += KEYS) {
        const i64 m = math::min<i64>(KEYS, x.n[0] - k);
        for (i64 j = 0; j < m; j++) some[j] = (C)x.p[(k + j) * x.s[0]];
        for (i64 j = m; j < KEYS; j++) some[j] = some[0];
        places_of_some<C, true>(edges, some, at);
        for (i64 j = 0; j < m; j++) at[j] = some[j] == last ? bins : at[j];
        tally.add(at, m);
    }
    tally.merge();
    copied(tally.first.data() + 1, (i64)tally.first.size() - 2, made.p);
    return made;
}
template <class S, class W, class C>
static inline Array<double, 1> densities(Run &run, const View<W, 1> &made, const View<C, 1> &edges) {
    Array<double, 1> shares = fresh<double, 1>(run.spare, made.n, NPY_DOUBLE);
    const W *p = made.p;
    const auto one = [p](i64 k) { return (S)p[k]; };
    S total;
    if constexpr (std::is_floating_point<S>::value) total = (S)0 + pairwise<S>(one, 0, made.n[0]);
    else total = plain_sum<S>(one, made.n[0]);
    for (i64 k = 0; k < made.n[0]; k++) {
        const C width = edges.p[(k + 1) * edges.s[0]] - edges.p[k * edges.s[0]];
        shares.p[k] = (double)made.p[k] / (double)width / (double)total;
    }
    return shares;
}

// One axis of np.histogram2d: edges in order, and what they are computed from where their widths
// are the same.
struct Axis {
    View<double, 1> edges;
    double step;  // between two edges
    Clear clear;  // of no bins where widths differ
    // How many edges lie at x, or before it; one less on the last edge.
    void places(const double *x, i64 count, int *at) const {
        const bool even = clear.bins != 0;
        if (even && clear.places(x, count, at, 1, 0, (int)edges.n[0])) return;
        if (!even || !computed(x, count, at)) found(x, count, at);
        const double last = edges.p[(edges.n[0] - 1) * edges.s[0]];
        for (i64 k = 0; k < count; k++) at[k] -= x[k] == last;
    }
    void found(const double *x, i64 count, int *at) const {
        double some[KEYS];
        i64 places[KEYS];
        for (i64 from = 0; from < count; from += KEYS) {
            const i64 m = math::min<i64>(KEYS, count - from);
            for (i64 k = 0; k < KEYS; k++) some[k] = x[from + (k < m ? k : 0)];
            places_of_some<double, true>(edges, some, places);
            for (i64 k = 0; k < m; k++) at[from + k] = (int)places[k];
        }
    }
    // (Several loops, for the compiler would give one of them branches.)
    bool computed(const double *x, i64 count, int *at) const {
        const int n = (int)edges.n[0], top = n - 2;
        const double first = edges.p[0], last = edges.p[n - 1], by = clear.by, step = this->step;
        double v[SOME];
        int in[SOME], away[SOME], wrong = 0;
        for (i64 k = 0; k < count; k++) in[k] = ge<double>(x[k], first) & lt<double>(x[k], last);
        for (i64 k = 0; k < count; k++) v[k] = in[k] ? x[k] : first;
        for (i64 k = 0; k < count; k++) {
            const int j = (int)((v[k] - first) * by);
            at[k] = j < top ? j : top;
        }
        for (i64 k = 0; k < count; k++) away[k] = lt<double>(v[k], (double)at[k] * step + first) ? -1 : 0;
        for (i64 k = 0; k < count; k++) away[k] += ge<double>(v[k], (double)(at[k] + 1) * step + first) ? 1 : 0;
        for (i64 k = 0; k < count; k++) at[k] += away[k] > top - at[k] ? 0 : away[k];
        // Once more: the next bin may be too near, too.
        for (i64 k = 0; k < count; k++) wrong |= lt<double>(v[k], (double)at[k] * step + first);
        for (i64 k = 0; k < count; k++) wrong |= ge<double>(v[k], (double)(at[k] + 1) * step + first) & (at[k] < top);
        for (i64 k = 0; k < count; k++) away[k] = lt<double>(x[k], first) ? 0 : n;
        for (i64 k = 0; k < count; k++) at[k] = in[k] ? at[k] + 1 : away[k];
        return !wrong;
    }
};
static inline Axis axis_of(const View<double, 1> &edges) {
    NEED(edges.n[0] >= 2);
    for (i64 k = 0; k < edges.n[0]; k++) NEED(math::isfinite(edges.p[k * edges.s[0]]));
    NEED(is_in_order<double>(edges));
    return {edges, 0.0, {}};
}
static inline Axis axis_of(const View<double, 1> &edges, const Even<double> &even) {
    const Clear clear(even.first, even.last, even.step, even.bins);
    return {edges, even.step, math::isfinite(clear.by) ? clear : Clear()};
}
// Some elements as doubles, where they lie or in a copy. While a block is counted nothing asks for
// the next one, so the processor is told of it.
template <class T> INLINE const double *as_doubles(const View<T, 1> &x, i64 from, i64 count, double *copy) {
    const T *const p = x.p + from * x.s[0];
    if (x.s[0] == 1) {
        if (from + 3 * SOME <= x.n[0])
            for (i64 k = 0; k < SOME; k += 64 / (i64)sizeof(T)) __builtin_prefetch(p + 2 * SOME + k);
        if constexpr (std::is_same<T, double>::value) return p;
        for (i64 k = 0; k < count; k++) copy[k] = (double)p[k];
    } else {
        for (i64 k = 0; k < count; k++) copy[k] = (double)p[k * x.s[0]];
    }
    return copy;
}
// With what lies outside around it.
template <class X, class Y>
static inline Array<double, 2> histogram_2d(Run &run, const View<X, 1> &x, const View<Y, 1> &y,
    const Axis &first, const Axis &second, const double *weights, i64 step) {
    const i64 n[2] = {first.edges.n[0] + 1, second.edges.n[0] + 1}, count = x.n[0];
    NEED(y.n[0] == count);
    Array<double, 2> made = fresh<double, 2>(run.spare, n, NPY_DOUBLE);
    const i64 size = made.size();
    NEED(size < (i64)1 << 31);
    const Unheard unheard{run};
    double some[SOME];
    int i[SOME], j[SOME];
    Tally tally(weights ? 0 : size);
    if (weights) for (i64 k = 0; k < size; k++) made.p[k] = 0;
    for (i64 k = 0; k < count; k += SOME) {
        const i64 m = math::min<i64>(SOME, count - k);
        first.places(as_doubles(x, k, m, some), m, i);
        second.places(as_doubles(y, k, m, some), m, j);
        for (i64 e = 0; e < m; e++) i[e] = i[e] * (int)n[1] + j[e];
        if (weights) for (i64 e = 0; e < m; e++) made.p[i[e]] += weights[(k + e) * step];
        else tally.add(i, m);
    }
    if (!weights) {
        tally.merge();
        for (i64 k = 0; k < size; k++) made.p[k] = (double)tally.first[k];
    }
    return made;
}
static inline Array<double, 2> densities_2d(Run &run, const View<double, 2> &made, const Axis &first, const Axis &second) {
    const i64 n[2] = {made.n[0] - 2, made.n[1] - 2};
    Array<double, 2> shares = fresh<double, 2>(run.spare, n, NPY_DOUBLE);
    const Doubles x(first.edges), y(second.edges);
    double total = 0;
    for (i64 i = 0; i < n[0]; i++) {
        const double *row = made.p + (i + 1) * made.n[1] + 1;
        total += pairwise<double>([row](i64 j) { return row[j]; }, 0, n[1]);
    }
    for (i64 i = 0; i < n[0]; i++)
        for (i64 j = 0; j < n[1]; j++)
            shares.p[i * n[1] + j] = made.p[(i + 1) * made.n[1] + j + 1] / (x.p[i + 1] - x.p[i]) / (y.p[j + 1] - y.p[j]) / total;
    return shares;
}
