// Sums in the order in which NumPy adds; extremes
#pragma once
#include "choices.hpp"
#include "lanes.hpp"
#include "results.hpp"

// What NumPy makes of eight sums beside each other.
template <class T, class Sums> INLINE T sum_of_eight(const Sums &r) {
    return ((r[0] + r[1]) + (r[2] + r[3])) + ((r[4] + r[5]) + (r[6] + r[7]));
}
// Eight elements beside each other, in one register or several. GCC keeps a vector that is larger
// than a register in memory.
template <class T> struct Eight {
    static constexpr i64 one = math::min<i64>(8, LANE_BYTES / sizeof(T)), many = 8 / one;
    typedef T Part __attribute__((vector_size(one * sizeof(T))));
    Part part[many];
    static INLINE_MEMBER Eight at(const T *p) {
        Eight x;
        for (i64 i = 0; i < many; i++) std::memcpy(&x.part[i], p + i * one, sizeof(Part));
        return x;
    }
    friend INLINE_MEMBER Eight operator+(Eight a, const Eight &b) {
        for (i64 i = 0; i < many; i++) a.part[i] = a.part[i] + b.part[i];
        return a;
    }
    friend INLINE_MEMBER Eight operator*(Eight a, const Eight &b) {
        for (i64 i = 0; i < many; i++) a.part[i] = a.part[i] * b.part[i];
        return a;
    }
    INLINE_MEMBER T operator[](i64 k) const { return part[k / one][k % one]; }
};
// NumPy adds numbers by eights in blocks of so many.
#define SUMMED 128
// The sum of one block: eight sums beside each other.
template <class T> [[gnu::noinline]] static T sum_of_block(const T *p, i64 n) {
    T sum = (T)-0.0;
    i64 i = 0;
    if (n >= 8) {
        if constexpr (std::is_floating_point<T>::value) {
            Eight<T> r = Eight<T>::at(p);
            for (i = 8; i < n - n % 8; i += 8) r = r + Eight<T>::at(p + i);
            sum = sum_of_eight<T>(r);
        } else {
            T r[8];
            for (int k = 0; k < 8; k++) r[k] = p[k];
            for (i = 8; i < n - n % 8; i += 8)
                for (int k = 0; k < 8; k++) r[k] = r[k] + p[i + k];
            sum = sum_of_eight<T>(r);
        }
    }
    for (; i < n; i++) sum = sum + p[i];
    return sum;
}
static inline i64 half_of_sum(i64 n) { const i64 half = n / 2; return half - half % 8; }
// Elements in memory.
template <class T> static T pairwise_of(const T *p, i64 n) {
    if (n <= SUMMED) return sum_of_block(p, n);
    const i64 half = half_of_sum(n);
    return pairwise_of(p, half) + pairwise_of(p + half, n - half);
}
// Elements that `f(from, count, out)` computes, each once and in order: a block of them is
// computed by vectors before it is added.
template <class T, class F> INLINE T pairwise_block(const F &f, i64 from, i64 n) {
    T block[SUMMED];
    f(from, n, block);
    return sum_of_block(block, n);
}
// (Where it could be part of something, the compiler writes it into itself, again and again.)
template <class T, class F> [[gnu::noinline]] static T pairwise_blocks(const F &f, i64 from, i64 n) {
    if (n <= SUMMED) return pairwise_block<T>(f, from, n);
    const i64 half = half_of_sum(n);
    const T first = pairwise_blocks<T>(f, from, half);
    return first + pairwise_blocks<T>(f, from + half, n - half);
}
template <class T, class F> static inline T pairwise_by(const F &f, i64 from, i64 n) {
    return n <= SUMMED ? pairwise_block<T>(f, from, n) : pairwise_blocks<T>(f, from, n);
}
// Some elements of a row that `f(k)` computes. Windows have rows of a few elements, for which a loop
// of vectors takes longer to begin than to run.
template <class T, class F> INLINE void compute_row(const F &f, i64 from, i64 n, T *out) {
    switch (n) {
    case 3: for (i64 i = 0; i < 3; i++) out[i] = f(from + i); return;
    case 5: for (i64 i = 0; i < 5; i++) out[i] = f(from + i); return;
    case 7: for (i64 i = 0; i < 7; i++) out[i] = f(from + i); return;
    }
#pragma GCC ivdep
    for (i64 i = 0; i < n; i++) out[i] = f(from + i);
}
// Elements that `f(k)` computes.
template <class T, class F> INLINE T pairwise(const F &f, i64 from, i64 n) {
    if (n < 8) {
        T sum = (T)-0.0;
        for (i64 i = 0; i < n; i++) sum = sum + f(from + i);
        return sum;
    }
    return pairwise_by<T>([&f](i64 first, i64 count, T *out) {
#pragma GCC ivdep
        for (i64 i = 0; i < count; i++) out[i] = f(first + i);
    }, from, n);
}
template <class T, class F> static inline T plain_sum(const F &f, i64 n) {
    T sum = 0;
    for (i64 i = 0; i < n; i++) sum = (T)(sum + f(i));
    return sum;
}
template <class T, class U, class V>
static inline T dot(const U *a, i64 sa, const V *b, i64 sb, i64 n) {
    T sum = 0;
    i64 i = 0;
    if constexpr (std::is_same<T, U>::value && std::is_same<T, V>::value && std::is_floating_point<T>::value) {
        typedef Eight<T> Some;
        if (sa == 1 && sb == 1 && n >= 8) {
            Some r[4] = {};
            for (; i + 32 <= n; i += 32)
                for (i64 k = 0; k < 4; k++) r[k] = r[k] + Some::at(a + i + 8 * k) * Some::at(b + i + 8 * k);
            for (; i + 8 <= n; i += 8) r[0] = r[0] + Some::at(a + i) * Some::at(b + i);
            sum = sum_of_eight<T>((r[0] + r[1]) + (r[2] + r[3]));
        }
    }
    for (; i < n; i++) sum = sum + (T)a[i * sa] * (T)b[i * sb];
    return sum;
}

// Elements that `f(k)` and `g(k)` compute, each once: a few one by one, many by blocks.
template <class T, class F, class G> INLINE T dot_by(const F &f, const G &g, i64 n) {
    T sum = 0;
    if (n < 16) {
        for (i64 i = 0; i < n; i++) sum = sum + f(i) * g(i);
        return sum;
    }
    T a[SUMMED], b[SUMMED];
    for (i64 from = 0; from < n; from += SUMMED) {
        const i64 count = math::min<i64>(SUMMED, n - from);
#pragma GCC ivdep
        for (i64 i = 0; i < count; i++) a[i] = f(from + i);
#pragma GCC ivdep
        for (i64 i = 0; i < count; i++) b[i] = g(from + i);
        sum = sum + dot<T>(a, 1, b, 1, count);
    }
    return sum;
}

// What the extreme of nothing would be: anything is better.
template <class T, bool LARGEST> constexpr T worst() {
    if constexpr (std::is_floating_point<T>::value) return LARGEST ? -(T)INFINITY : (T)INFINITY;
    else return LARGEST ? std::numeric_limits<T>::lowest() : std::numeric_limits<T>::max();
}
template <class T, bool LARGEST> INLINE T better(T a, T b) {
    return LARGEST ? np_max<T>(a, b) : np_min<T>(a, b);
}
// As many extremes beside each other as are found by vectors; the last ones of a row are looked at
// twice, which changes nothing.
template <class T, bool LARGEST, i64 COUNT> static inline T extreme_by(const T *p, i64 n) {
    T r[COUNT];
    constexpr i64 one = lane_count<T>();
    if constexpr (one > 0 && COUNT >= one) {
        constexpr i64 many = COUNT / one;
        Lanes<T> best[many];
        for (i64 i = 0; i < many; i++) best[i] = Lanes<T>::at(p + i * one);
        for (i64 k = COUNT; k < n; k += COUNT) {
            const i64 from = k + COUNT <= n ? k : n - COUNT;
            for (i64 i = 0; i < many; i++) {
                const Lanes<T> more = Lanes<T>::at(p + from + i * one);
                best[i] = LARGEST ? larger(best[i], more) : smaller(best[i], more);
            }
        }
        for (i64 i = 0; i < many; i++) best[i].put(r + i * one);
    } else {
        for (i64 i = 0; i < COUNT; i++) r[i] = p[i];
        for (i64 k = COUNT; k < n; k += COUNT) {
            const i64 from = k + COUNT <= n ? k : n - COUNT;
#pragma GCC ivdep
            for (i64 i = 0; i < COUNT; i++) r[i] = better<T, LARGEST>(r[i], p[from + i]);
        }
    }
    for (i64 half = COUNT / 2; half; half /= 2)
        for (i64 i = 0; i < half; i++) r[i] = better<T, LARGEST>(r[i], r[i + half]);
    return r[0];
}
template <class T, bool LARGEST> [[gnu::noinline]] static T extreme_of_many(const T *p, i64 n) {
    const i64 lanes = 256 / sizeof(T);
    return n >= lanes ? extreme_by<T, LARGEST, lanes>(p, n) : extreme_by<T, LARGEST, 8>(p, n);
}
// Elements in memory.
template <class T, bool LARGEST> INLINE T extreme_of(const T *p, i64 n) {
    if (n >= 8) return extreme_of_many<T, LARGEST>(p, n);
    T best = worst<T, LARGEST>();
    for (i64 k = 0; k < n; k++) best = better<T, LARGEST>(best, p[k]);
    return best;
}
// Elements that `f(k)` computes, each once, block by block.
template <class T, bool LARGEST, class F> INLINE T extreme(const F &f, i64 n) {
    T best = worst<T, LARGEST>(), block[SUMMED];
    for (i64 from = 0; from < n; from += SUMMED) {
        const i64 count = math::min<i64>(SUMMED, n - from);
#pragma GCC ivdep
        for (i64 i = 0; i < count; i++) block[i] = f(from + i);
        best = better<T, LARGEST>(best, extreme_of<T, LARGEST>(block, count));
    }
    return best;
}
// The same for elements that are known to be few.
template <class T, i64 N> INLINE T sum_of_few(const T (&x)[N]) {
    T sum = (T)-0.0;
    i64 k = 0;
    if constexpr (N >= 8) {
        T r[8];
        for (k = 0; k < 8; k++) r[k] = x[k];
        for (; k < N - N % 8; k += 8)
            for (i64 i = 0; i < 8; i++) r[i] = r[i] + x[k + i];
        sum = sum_of_eight<T>(r);
    }
    for (; k < N; k++) sum = sum + x[k];
    return sum;
}
template <class T, bool LARGEST, i64 N> INLINE T extreme_of_few(const T (&x)[N]) {
    T best = x[0];
    for (i64 k = 1; k < N; k++) best = better<T, LARGEST>(best, x[k]);
    return best;
}
template <class T, bool LARGEST, i64 N> INLINE i64 place_of_few(const T (&x)[N]) {
    T best = x[0];
    i64 place = 0;
    for (i64 k = 1; k < N; k++) {
        const bool is_better = (LARGEST ? gt<T>(x[k], best) : lt<T>(x[k], best)) | (x[k] != x[k]);
        const bool is_new = is_better & (best == best);
        best = is_new ? x[k] : best;
        place = is_new ? k : place;
    }
    return place;
}
// Where the first of the largest or smallest elements is, or the first NaN.
template <class T, bool LARGEST> static inline i64 place_of_extreme(const T *p, i64 n, i64 step) {
    const i64 lanes = 64;
    i64 k = 0;
    if (step == 1 && n >= lanes) {
        const T best = extreme_of<T, LARGEST>(p, n);
        for (; k < n; k += lanes) {
            const i64 count = math::min(lanes, n - k);
            unsigned char found = 0;
            for (i64 i = 0; i < count; i++) found |= (p[k + i] == best) | (p[k + i] != p[k + i]);
            if (found) break;
        }
        while (!(p[k] == best || p[k] != p[k])) k++;
        return k;
    }
    T best = p[0];
    i64 place = 0;
    for (k = 1; k < n && best == best; k++) {
        const T x = p[k * step];
        if ((LARGEST ? gt<T>(x, best) : lt<T>(x, best)) || x != x) { place = k; best = x; }
    }
    return place;
}
// The same for each of many columns: what is best so far, for some columns at a time.
template <class T, bool LARGEST>
static void places_of_extremes(const T *p, i64 n, i64 columns, i64 step, i64 beside, i64 *places) {
    T best[SUMMED];
    i64 place[SUMMED];
    for (i64 from = 0; from < columns; from += SUMMED) {
        const i64 count = math::min<i64>(SUMMED, columns - from);
        const T *row = p + from * beside;
        for (i64 k = 0; k < count; k++) { best[k] = row[k * beside]; place[k] = 0; }
        for (i64 i = 1; i < n; i++) {
            row += step;
            const auto one = [&](i64 k, T x) {
                const bool is_better = (LARGEST ? gt<T>(x, best[k]) : lt<T>(x, best[k])) | (x != x);
                const bool is_new = is_better & (best[k] == best[k]);
                best[k] = is_new ? x : best[k];
                place[k] = is_new ? i : place[k];
            };
            if (beside == 1) {
#pragma GCC ivdep
                for (i64 k = 0; k < count; k++) one(k, row[k]);
            } else {
                for (i64 k = 0; k < count; k++) one(k, row[k * beside]);
            }
        }
        for (i64 k = 0; k < count; k++) places[from + k] = place[k];
    }
}
