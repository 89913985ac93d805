// The elements where a mask is true. A processor that can push chosen elements of a vector
// together does eight bytes of a mask at a time, or more; else one element after the other,
// without a branch, for a mask is seldom what it was before.
#pragma once
#include "arrays.hpp"
#include "choices.hpp"
#include "indices.hpp"

#if defined(__AVX512F__) && defined(__AVX512BW__) && defined(__AVX512VL__) && defined(__BMI2__)
#include <immintrin.h>
#define PUSHES_TOGETHER 1
static inline unsigned bits_of_8(const bool8 *mask) {
    const __m128i held = _mm_loadl_epi64((const __m128i *)mask);
    return _mm_test_epi8_mask(held, held);
}
static inline unsigned bits_of_16(const bool8 *mask) {
    const __m128i held = _mm_loadu_si128((const __m128i *)mask);
    return _mm_test_epi8_mask(held, held);
}
#endif

// A place in an array of so many elements, which may be counted from its end.
static inline i64 place(i64 i, i64 n) { return i < 0 ? i + n : i; }
// Whether all places are there.
template <class T> static bool are_places(const View<T, 1> &where, i64 n) {
    const i64 count = where.n[0], step = where.s[0];
    int wrong = 0;
    if (step == 1) for (i64 k = 0; k < count; k++) wrong |= (uint64_t)place((i64)where.p[k], n) >= (uint64_t)n;
    else for (i64 k = 0; k < count; k++) wrong |= (uint64_t)place((i64)where.p[k * step], n) >= (uint64_t)n;
    return !wrong;
}
// Whether each lies behind the one before, and all of them are there: no two are the same.
template <class T> static bool rise(const View<T, 1> &where, i64 n) {
    const i64 count = where.n[0];
    if (count == 0) return true;
    if (where.s[0] != 1 || (i64)where.p[0] < 0 || (i64)where.p[count - 1] >= n) return false;
    for (i64 from = 0; from < count - 1; from += 256) {
        const i64 end = math::min<i64>(from + 256, count - 1);
        int wrong = 0;
        for (i64 k = from; k < end; k++) wrong |= where.p[k] >= where.p[k + 1];
        if (wrong) return false;
    }
    return true;
}

// Rows one behind the other, each from where it lies: short ones without a loop.
template <i64 COUNT, class T, class Row> static void copy_short_rows(T *to, i64 count, const Row &row) {
    for (i64 k = 0; k < count; k++) {
        const T *const from = row(k);
        for (i64 j = 0; j < COUNT; j++) to[k * COUNT + j] = from[j];
    }
}
template <class T, class Row> static void copy_rows(T *to, i64 n, i64 step, i64 count, const Row &row) {
    if (step == 1) switch (n) {
    case 2: return copy_short_rows<2>(to, count, row);
    case 3: return copy_short_rows<3>(to, count, row);
    case 4: return copy_short_rows<4>(to, count, row);
    }
    for (i64 k = 0; k < count; k++) {
        const T *const from = row(k);
        T *const out = to + k * n;
        if (step == 1) for (i64 j = 0; j < n; j++) out[j] = from[j];
        else for (i64 j = 0; j < n; j++) out[j] = from[j * step];
    }
}
// Rows that lie so far from the first one each.
template <class T, int N> static void rows_from(T *to, const View<T, 1> &first, const View<i64, N> &offsets) {
    copy_rows(to, first.n[0], first.s[0], offsets.size(), [&](i64 k) { return first.p + offsets.p[k]; });
}
// Rows of a matrix.
template <class T, class I> static void take_rows(T *to, const View<T, 2> &from, const View<I, 1> &where) {
    copy_rows(to, from.n[1], from.s[1], where.n[0], [&](i64 k) {
        return from.p + place((i64)where.p[k * where.s[0]], from.n[0]) * from.s[0];
    });
}

// Sums of bytes that do not overflow are vectors of bytes.
static i64 count_true(const bool8 *mask, i64 step, i64 n) {
    i64 count = 0, k = 0;
    if (step == 1)
        for (; k + 128 <= n; k += 128) {
            unsigned char part = 0;
            for (int i = 0; i < 128; i++) part += mask[k + i] != 0;
            count += part;
        }
    for (; k < n; k++) count += mask[k * step] != 0;
    return count;
}

// So many elements are taken as the mask has that are true, and no more are written.
template <class T>
static void take_true(T *to, const T *from, i64 step, const bool8 *mask, i64 every, i64 n, i64 count) {
    i64 k = 0, j = 0;
#ifdef PUSHES_TOGETHER
    if (step == 1 && every == 1) {
        if constexpr (sizeof(T) == 16) {
            for (; k + 8 <= n && j + 8 <= count; k += 8) {
                const unsigned bits = bits_of_8(mask + k);
                for (int half = 0; half < 2; half++) {
                    const unsigned four = bits >> 4 * half & 15;
                    const __mmask8 pairs = (__mmask8)(_pdep_u32(four, 0x55) * 3);
                    const __m512i held = _mm512_loadu_si512(from + k + 4 * half);
                    _mm512_storeu_si512(to + j, _mm512_maskz_compress_epi64(pairs, held));
                    j += __builtin_popcount(four);
                }
            }
        } else if constexpr (sizeof(T) == 8) {
            for (; k + 8 <= n && j + 8 <= count; k += 8) {
                const unsigned bits = bits_of_8(mask + k);
                const __m512i held = _mm512_loadu_si512(from + k);
                _mm512_storeu_si512(to + j, _mm512_maskz_compress_epi64((__mmask8)bits, held));
                j += __builtin_popcount(bits);
            }
        } else if constexpr (sizeof(T) == 4) {
            for (; k + 16 <= n && j + 16 <= count; k += 16) {
                const unsigned bits = bits_of_16(mask + k);
                const __m512i held = _mm512_loadu_si512(from + k);
                _mm512_storeu_si512(to + j, _mm512_maskz_compress_epi32((__mmask16)bits, held));
                j += __builtin_popcount(bits);
            }
        }
    }
#endif
    for (; k < n && j < count; k++) {
        to[j] = from[k * step];
        j += mask[k * every] != 0;
    }
}

// So many elements are put where the mask is true, in their order.
template <class T>
static void put_true(T *to, i64 step, const bool8 *mask, i64 n, const T *from, i64 count) {
    i64 k = 0, j = 0;
#ifdef PUSHES_TOGETHER
    if (step == 1) {
        if constexpr (sizeof(T) == 8) {
            for (; k + 8 <= n; k += 8) {
                const unsigned bits = bits_of_8(mask + k);
                const __m512i old = _mm512_loadu_si512(to + k);
                _mm512_storeu_si512(to + k, _mm512_mask_expandloadu_epi64(old, (__mmask8)bits, from + j));
                j += __builtin_popcount(bits);
            }
        } else if constexpr (sizeof(T) == 4) {
            for (; k + 16 <= n; k += 16) {
                const unsigned bits = bits_of_16(mask + k);
                const __m512i old = _mm512_loadu_si512(to + k);
                _mm512_storeu_si512(to + k, _mm512_mask_expandloadu_epi32(old, (__mmask16)bits, from + j));
                j += __builtin_popcount(bits);
            }
        }
    }
#endif
    for (; k < n && j < count; k++) {
        const bool chosen = mask[k] != 0;
        to[k * step] = chosen ? from[j] : to[k * step];
        j += chosen;
    }
}

// Does something with each row of an array, and the place of its first element among all.
template <class T, int N, class F> static void with_rows(const View<T, N> &all, const F &work) {
    if (!all.size()) return;
    if (all.contiguous()) return work(all.p, (i64)1, (i64)0, all.size());
    const i64 n = all.n[N - 1], rows = all.size() / n;
    for (i64 row = 0; row < rows; row++) {
        T *p = all.p;
        i64 rest = row;
        for (int d = N - 2; d >= 0; d--) { p += rest % all.n[d] * all.s[d]; rest /= all.n[d]; }
        work(p, all.s[N - 1], row * n, n);
    }
}
// What an array has where a mask of its shape is true, and what it gets there.
template <class T, int N> static void take_where(T *to, const View<T, N> &from, const bool8 *mask, i64 count) {
    i64 j = 0;
    with_rows(from, [&](const T *row, i64 step, i64 k, i64 n) {
        const i64 here = n == from.size() ? count : count_true(mask + k, 1, n);
        take_true(to + j, row, step, mask + k, 1, n, here);
        j += here;
    });
}
template <class T, int N> static void put_where(const T *from, const View<T, N> &to, const bool8 *mask, i64 count) {
    i64 j = 0;
    with_rows(to, [&](T *row, i64 step, i64 k, i64 n) {
        const i64 here = n == to.size() ? count : count_true(mask + k, 1, n);
        put_true(row, step, mask + k, n, from + j, here);
        j += here;
    });
}

// Where a mask is true.
static void places_true(i64 *to, const bool8 *mask, i64 every, i64 n, i64 count) {
    i64 k = 0, j = 0;
#ifdef PUSHES_TOGETHER
    if (every == 1) {
        __m512i places = _mm512_set_epi64(7, 6, 5, 4, 3, 2, 1, 0);
        const __m512i eight = _mm512_set1_epi64(8);
        for (; k + 8 <= n && j + 8 <= count; k += 8) {
            const unsigned bits = bits_of_8(mask + k);
            _mm512_storeu_si512(to + j, _mm512_maskz_compress_epi64((__mmask8)bits, places));
            places = _mm512_add_epi64(places, eight);
            j += __builtin_popcount(bits);
        }
    }
#endif
    for (; k < n && j < count; k++) {
        to[j] = k;
        j += mask[k * every] != 0;
    }
}
