// np.median, np.percentile, np.sort, np.unique
#pragma once
#include "choices.hpp"
#include "library/running.hpp"
#include "library/searching.hpp"
#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#define LANES 32     // lines that are put in order at once
#define FEW 32       // elements that are put in order by pairs which are known beforehand
#define MOST_PAIRS 192
// D. E. Knuth, The Art of Computer Programming, 5.2.2, algorithm M: pairs to compare, and of them
// those on which some places depend.
struct Network {
    int count = 0;
    uint8_t pairs[MOST_PAIRS][2] = {};
    constexpr Network(int n, int first, int last) {
        int top = 1;
        while (top < n) top *= 2;
        for (int p = top / 2; p > 0; p /= 2) {
            int q = top / 2, r = 0, d = p;
            for (;;) {
                for (int i = 0; i + d < n; i++) {
                    if ((i & p) != r) continue;
                    pairs[count][0] = (uint8_t)i;
                    pairs[count++][1] = (uint8_t)(i + d);
                }
                if (q == p) break;
                d = q - p;
                q /= 2;
                r = p;
            }
        }
        bool wanted[FEW] = {};
        for (int k = first; k <= last && k < n; k++) wanted[k] = true;
        int kept = MOST_PAIRS;
        for (int k = count - 1; k >= 0; k--) {
            const uint8_t a = pairs[k][0], b = pairs[k][1];
            if (!wanted[a] && !wanted[b]) continue;
            wanted[a] = wanted[b] = true;
            pairs[--kept][0] = a;
            pairs[kept][1] = b;
        }
        count = MOST_PAIRS - kept;
        for (int k = 0; k < count; k++)
            for (int side = 0; side < 2; side++) pairs[k][side] = pairs[kept + k][side];
    }
    // NaN come last, or anywhere.
    template <bool NANS, class T> void run(T (&rows)[FEW][LANES]) const {
        for (int p = 0; p < count; p++) {
            T *const a = rows[pairs[p][0]], *const b = rows[pairs[p][1]];
#pragma GCC ivdep
            for (int k = 0; k < LANES; k++) {
                const T x = a[k], y = b[k];
                const bool wrong = NANS ? before<T>(y, x) : lt<T>(y, x);
                a[k] = wrong ? y : x;
                b[k] = wrong ? x : y;
            }
        }
    }
};
// The element of which so many others are smaller, without a loop: where it is computed for many
// places, each step is done for some of them at once. NaN where there is one.
template <int A, int B, class T> INLINE void put_in_order(T *x) {
    const T a = x[A], b = x[B];
    const bool wrong = lt<T>(b, a);
    x[A] = wrong ? b : a;
    x[B] = wrong ? a : b;
}
template <int N, int PLACE> struct Ranking { static constexpr Network network{N, PLACE, PLACE}; };
template <class R, class T, size_t... K> INLINE void put_all_in_order(T *x, std::index_sequence<K...>) {
    (put_in_order<R::network.pairs[K][0], R::network.pairs[K][1]>(x), ...);
}
template <class T, int PLACE, size_t... K> INLINE T ranked(const T (&given)[sizeof...(K)], std::index_sequence<K...>) {
    using R = Ranking<(int)sizeof...(K), PLACE>;
    T x[] = {given[K]...}, nan = T();
    if constexpr (std::is_floating_point<T>::value) ((nan = given[K] != given[K] ? given[K] : nan), ...);
    put_all_in_order<R>(x, std::make_index_sequence<(size_t)R::network.count>());
    return nan == nan ? x[PLACE] : nan;
}
template <class T, int PLACE, size_t N> INLINE T ranked(const T (&given)[N]) {
    return ranked<T, PLACE>(given, std::make_index_sequence<N>());
}
template <class T> static inline void load_lines(const T *const (&from)[LANES], i64 step, int n, T (&rows)[FEW][LANES]) {
    bool close = true;
    for (int k = 1; k < LANES; k++) close = close && from[k] == from[0] + k;
    if (close) {
        for (int i = 0; i < n; i++) for (int k = 0; k < LANES; k++) rows[i][k] = from[0][i * step + k];
        return;
    }
    for (int k = 0; k < LANES; k++) for (int i = 0; i < n; i++) rows[i][k] = from[k][i * step];
}
// The mean of the middle ones, as NumPy computes it: a sum, which begins with zero.
template <class M, class T> static inline M middle(T low, T high, bool odd) {
    return (M)0 + (odd ? (M)high : ((M)low + (M)high) / (M)2);
}
template <class T> struct Scratch {
    Run &run;
    std::unique_ptr<T[]> held;
    i64 size = 0;
    T *of(i64 n) {
        if (n > size) { held.reset(new T[(size_t)n]); size = n; }
        return held.get();
    }
};
#define SAMPLE 1024
// Puts in order what a sample says lies around some place, and nothing else. Returns the elements
// there and behind it; false where there is NaN.
template <class T> struct Chosen { T first, second; bool is_number; };
template <class T>
static Chosen<T> chosen(const T *p, i64 step, i64 n, i64 place, bool both, Scratch<T> &some) {
    const Unheard unheard{some.run};
    int odd = 0;
    const i64 last = place + both;
    if (n >= 4 * SAMPLE) {
        T sample[SAMPLE];
        for (i64 k = 0; k < SAMPLE; k++) {
            const T x = p[k * (n / SAMPLE) * step];
            odd |= x != x;
            sample[k] = x;
        }
        if (odd) return {T(), T(), false};
        std::sort(sample, sample + SAMPLE);
        const i64 middle = place * SAMPLE / n;
        const bool lowest = middle < 64, highest = middle > SAMPLE - 65;
        const T low = sample[lowest ? 0 : middle - 64], high = sample[highest ? SAMPLE - 1 : middle + 64];
        T *const to = some.of(n);
        i64 m = 0, below = 0;
        for (i64 k = 0; k < n; k++) {
            const T x = p[k * step];
            const bool under = !lowest & lt<T>(x, low), over = !highest & lt<T>(high, x);
            odd |= x != x;
            to[m] = x;
            m += !under & !over;
            below += under;
        }
        if (odd) return {T(), T(), false};
        if (place >= below && last < below + m) {
            std::nth_element(to, to + (place - below), to + m);
            const T first = to[place - below];
            return {first, both ? *std::min_element(to + (place - below) + 1, to + m) : first, true};
        }
    }
    T *const to = some.of(n);
    for (i64 k = 0; k < n; k++) { to[k] = p[k * step]; odd |= to[k] != to[k]; }
    if (odd) return {T(), T(), false};
    std::nth_element(to, to + place, to + n);
    return {to[place], both ? *std::min_element(to + place + 1, to + n) : to[place], true};
}
template <class M, class T> static inline M median(const T *p, i64 step, i64 n, Scratch<T> &some) {
    NEED(n > 0);
    const bool odd = n % 2;
    const Chosen<T> two = chosen(p, step, n, odd ? n / 2 : n / 2 - 1, !odd, some);
    if constexpr (std::is_floating_point<T>::value) if (!two.is_number) return (M)NAN;
    return middle<M>(two.first, two.second, odd);
}
template <class M, class T> static inline M median(Run &run, const View<T, 1> &v) {
    Scratch<T> some{run};
    return median<M>(v.p, v.s[0], v.n[0], some);
}
template <class T, int N> static inline void lengths_without(const View<T, N> &v, int axis, i64 (&n)[N - 1]) {
    for (int d = 0; d < N - 1; d++) n[d] = v.n[d < axis ? d : d + 1];
}
// The medians of some lines at once, whose elements are those of the columns.
template <class M, class T> struct Middles {
    Run &run;
    const int n, high = n / 2, low = n % 2 ? high : high - 1;
    const Network network{n, low, high};
    T rows[FEW][LANES];
    Middles(Run &run, int n) : run(run), n(n) {}
    void put(M *to, int held) {
        T nan[LANES] = {};  // one, where there is any
        {
            const Unheard unheard{run};
            if constexpr (std::is_floating_point<T>::value)
                for (int i = 0; i < n; i++)
                    for (int k = 0; k < LANES; k++) nan[k] = rows[i][k] != rows[i][k] ? rows[i][k] : nan[k];
            network.run<false>(rows);
        }
        for (int k = 0; k < held; k++)
            to[k] = nan[k] == nan[k] ? middle<M>(rows[low][k], rows[high][k], n % 2) : (M)nan[k];
    }
};
template <class M, class T, int N>
static inline Array<M, N - 1> medians(Run &run, const View<T, N> &v, int axis, int type) {
    i64 dims[N - 1];
    lengths_without(v, axis, dims);
    Array<M, N - 1> made = fresh<M, N - 1>(run.spare, dims, type);
    const i64 n = v.n[axis], step = v.s[axis];
    NEED(n > 0);
    if (n > FEW) {
        Scratch<T> some{run};
        each_line(v, v, axis, -1, [&](const T *p, T *, i64 k) { made.p[k] = median<M>(p, step, n, some); });
        return made;
    }
    Middles<M, T> middles(run, (int)n);
    const T *from[LANES];
    int held = 0;
    i64 begin = 0;
    const auto finish = [&]() {
        if (!held) return;
        for (int k = held; k < LANES; k++) from[k] = from[0];
        load_lines(from, step, (int)n, middles.rows);
        middles.put(made.p + begin, held);
        begin += held;
        held = 0;
    };
    each_line(v, v, axis, -1, [&](const T *p, T *, i64) {
        from[held] = p;
        if (++held == LANES) finish();
    });
    finish();
    return made;
}
// The medians of the columns of as many rows as the code says.
template <class M, class T, size_t... K>
static void middles_of(const T *const *from, i64 columns, M *to, std::index_sequence<K...>) {
    const T *const p[] = {from[K]...};
#pragma GCC ivdep
    for (i64 k = 0; k < columns; k++) to[k] = (M)0 + (M)ranked<T, (int)(sizeof...(K) / 2)>({p[K][k]...});
}
// False where they are not as many as in windows of three by three, or in lines of three or five.
template <class M, class T>
static bool middles_of_few(Run &run, const T *const *from, i64 rows, i64 columns, M *to) {
    const Unheard unheard{run};
    switch (rows) {
        case 3: middles_of(from, columns, to, std::make_index_sequence<3>()); return true;
        case 5: middles_of(from, columns, to, std::make_index_sequence<5>()); return true;
        case 9: middles_of(from, columns, to, std::make_index_sequence<9>()); return true;
        default: return false;
    }
}
// Those of arrays that lie on each other, without putting them so.
template <class M, class T, int N>
static Array<M, N> medians_across(Run &run, const std::vector<Array<T, N>> &parts, int type, int held) {
    const i64 count = (i64)parts.size();
    NEED(count > 0);
    const View<T, N> &first = parts[0];
    for (const auto &part : parts)
        for (int d = 0; d < N; d++) NEED(part.n[d] == first.n[d]);
    if (count > FEW) {
        i64 dims[N + 1] = {count};
        copied(first.n, N, dims + 1);
        Array<T, N + 1> stack = fresh<T, N + 1>(run.spare, dims, held);
        T *to = stack.p;
        for (const auto &part : parts)
            each_line(part, part, N - 1, -1, [&](const T *p, T *, i64) {
                for (i64 k = 0; k < part.n[N - 1]; k++) *to++ = p[k * part.s[N - 1]];
            });
        return medians<M>(run, (const View<T, N + 1> &)stack, 0, type);
    }
    Array<M, N> made = fresh<M, N>(run.spare, first.n, type);
    Middles<M, T> middles(run, (int)count);
    const i64 columns = first.n[N - 1];
    i64 at[N] = {};
    for (i64 done = 0; done < made.size(); done += columns) {
        const T *from[FEW];
        bool close = true;
        for (i64 i = 0; i < count; i++) {
            from[i] = parts[i].p;
            for (int d = 0; d + 1 < N; d++) from[i] += at[d] * parts[i].s[d];
            close &= parts[i].s[N - 1] == 1;
        }
        const bool all = close && middles_of_few(run, from, count, columns, made.p + done);
        for (i64 k = 0; k < columns && !all; k += LANES) {
            const i64 m = math::min<i64>(LANES, columns - k);
            for (i64 i = 0; i < count; i++) {
                const i64 step = parts[i].s[N - 1];
                const T *const p = from[i] + k * step;
                if (m == LANES && step == 1) for (int j = 0; j < LANES; j++) middles.rows[i][j] = p[j];
                else for (i64 j = 0; j < LANES; j++) middles.rows[i][j] = p[(j < m ? j : 0) * step];
            }
            middles.put(made.p + done + k, (int)m);
        }
        for (int d = N - 2; d >= 0; d--) {
            if (++at[d] < first.n[d]) break;
            at[d] = 0;
        }
    }
    return made;
}
// NumPy's straight line between two elements: from whichever of them is nearer.
template <class T> static inline double between(T a, T b, double share) {
    const T apart = (T)(b - a);
    if constexpr (!std::is_floating_point<T>::value) NEED((i64)apart == (i64)b - (i64)a);
    return share >= 0.5 ? (double)b - (double)apart * (1 - share) : (double)a + (double)apart * share;
}
template <class T>
static inline void percentiles_of(const T *p, i64 step, i64 n, const double *shares, i64 count, double *to, i64 by,
    Scratch<T> &some) {
    for (i64 k = 0; k < count; k++) {
        NEED(shares[k] >= 0 && shares[k] <= 1);
        const double place = (double)(n - 1) * shares[k];
        const bool end = place >= (double)(n - 1);
        const i64 first = end ? n - 1 : (i64)place;
        const Chosen<T> two = chosen(p, step, n, first, !end, some);
        to[k * by] = two.is_number ? between(two.first, two.second, end ? place + 1 : place - (double)first) : NAN;
    }
}
// Those of all lines along an axis, one percentile after the other.
template <class T, int N>
static inline void percentiles_along(Run &run, const View<T, N> &v, int axis, const double *shares, i64 count, double *to) {
    i64 by = 1;
    for (int d = 0; d < N; d++) if (d != axis) by *= v.n[d];
    NEED(v.n[axis] > 0);
    Scratch<T> some{run};
    each_line(v, v, axis, -1, [&](const T *p, T *, i64 k) {
        percentiles_of(p, v.s[axis], v.n[axis], shares, count, to + k, by, some);
    });
}
// NumPy says nothing of how zeros of two signs follow each other.
template <class T> static inline bool is_negative_zero(T x) {
    if constexpr (std::is_floating_point<T>::value) return x == 0 && math::signbit(x);
    else return false;
}
template <class T, int N> static inline Array<T, N> in_order(Run &run, const View<T, N> &v, int axis, int type) {
    NEED(lies_in_rows(v));
    const Unheard unheard{run};
    Array<T, N> made = fresh<T, N>(run.spare, v.n, type);
    const i64 n = v.n[axis], step = v.s[axis], below = made.s[axis];
    if (!made.size()) return made;
    int odd = 0;
    each_line(v, v, axis, -1, [&](const T *p, T *, i64) {
        for (i64 i = 0; i < n; i++) odd |= is_negative_zero(p[i * step]);
    });
    NEED(!odd);
    i64 left = made.size() / n, held = 0;
    std::vector<T> line;
    const T *from[LANES];
    T *to[LANES];
    T rows[FEW][LANES];
    const Network network(n <= FEW && left >= LANES / 4 ? (int)n : 0, 0, (int)n - 1);
    const auto finish = [&]() {
        if (!held) return;
        for (i64 k = held; k < LANES; k++) from[k] = from[0];
        load_lines(from, step, (int)n, rows);
        network.run<true>(rows);
        for (i64 k = 0; k < held; k++) for (i64 i = 0; i < n; i++) to[k][i * below] = rows[i][k];
        held = 0;
    };
    each_line(v, made, axis, -1, [&](const T *p, T *q, i64) {
        if (network.count) {
            from[held] = p;
            to[held] = q;
            if (++held == LANES) finish();
            return;
        }
        line.resize((size_t)n);
        for (i64 i = 0; i < n; i++) line[i] = p[i * step];
        std::sort(line.begin(), line.end(), [](T a, T b) { return before<T>(a, b); });
        for (i64 i = 0; i < n; i++) q[i * below] = line[i];
    });
    finish();
    return made;
}
// Those that differ, in order; NaN once.
template <class T> static inline Array<T, 1> distinct(Run &run, const View<T, 1> &v, int type) {
    std::vector<T> all((size_t)v.n[0]);
    for (i64 k = 0; k < v.n[0]; k++) {
        all[k] = v.p[k * v.s[0]];
        NEED(!is_negative_zero(all[k]));
    }
    std::sort(all.begin(), all.end(), [](T a, T b) { return before<T>(a, b); });
    const auto end = std::unique(all.begin(), all.end(), [](T a, T b) { return a == b || (a != a && b != b); });
    const i64 n[1] = {(i64)(end - all.begin())};
    Array<T, 1> made = fresh<T, 1>(run.spare, n, type);
    std::copy(all.begin(), end, made.p);
    return made;
}
