// Some elements beside each other, in one register
#pragma once
#include "choices.hpp"
#include "numbers.hpp"
#include "registers.hpp"

// The compiler makes vectors of loops by itself, but of NumPy's maximum, which hands NaN on and tells
// 0.0 from -0.0, six instructions instead of two.
#ifdef __AVX__
#include <immintrin.h>
#endif
template <class T> struct VectorOf;
template <> struct VectorOf<double> {
    typedef double Type __attribute__((vector_size(LANE_BYTES)));
    typedef int64_t Places __attribute__((vector_size(LANE_BYTES)));
};
template <> struct VectorOf<float> {
    typedef float Type __attribute__((vector_size(LANE_BYTES)));
    typedef int32_t Places __attribute__((vector_size(LANE_BYTES)));
};
template <class T> struct Lanes {
    static constexpr i64 count = LANE_BYTES / sizeof(T);
    typedef typename VectorOf<T>::Type Vector;
    Vector v;
    Lanes() = default;
    INLINE_MEMBER Lanes(Vector v) : v(v) {}
    INLINE_MEMBER Lanes(T x) : v(x - Vector{}) {}  // which is x, -0.0 included
    static INLINE_MEMBER Lanes at(const T *p) {
        Lanes made;
        std::memcpy(&made.v, p, sizeof made.v);
        return made;
    }
    static INLINE_MEMBER Lanes at(const T *p, i64 step) {
        if (step == 2) return second_at(p);
        Lanes made;
        for (i64 i = 0; i < count; i++) made.v[i] = p[i * step];
        return made;
    }
    // Every second element from there on: no more is read than the last of them.
    static INLINE_MEMBER Lanes second_at(const T *p) {
        typename VectorOf<T>::Places places;
        for (i64 i = 0; i < count; i++) places[i] = 2 * i < count ? 2 * i : 2 * i + 1;
        return __builtin_shuffle(at(p).v, at(p + count - 1).v, places);
    }
    INLINE_MEMBER void put(T *p) const { std::memcpy(p, &v, sizeof v); }
    friend INLINE_MEMBER Lanes operator+(Lanes a, Lanes b) { return a.v + b.v; }
    friend INLINE_MEMBER Lanes operator-(Lanes a, Lanes b) { return a.v - b.v; }
    friend INLINE_MEMBER Lanes operator*(Lanes a, Lanes b) { return a.v * b.v; }
    friend INLINE_MEMBER Lanes operator/(Lanes a, Lanes b) { return a.v / b.v; }
    friend INLINE_MEMBER Lanes operator-(Lanes a) { return -a.v; }
};
// How many elements of a type are in one register; 0 where nothing is gained.
template <class T> constexpr i64 lane_count() {
    if constexpr (has_lanes && std::is_floating_point<T>::value) return Lanes<T>::count;
    else return 0;
}
// The larger one of two, or the second; the first wherever that is NaN.
#if defined(__AVX512F__)
INLINE Lanes<double> larger(Lanes<double> a, Lanes<double> b) {
    return _mm512_mask_max_pd(a.v, _mm512_cmp_pd_mask(a.v, a.v, _CMP_ORD_Q), a.v, b.v);
}
INLINE Lanes<double> smaller(Lanes<double> a, Lanes<double> b) {
    return _mm512_mask_min_pd(a.v, _mm512_cmp_pd_mask(a.v, a.v, _CMP_ORD_Q), a.v, b.v);
}
INLINE Lanes<float> larger(Lanes<float> a, Lanes<float> b) {
    return _mm512_mask_max_ps(a.v, _mm512_cmp_ps_mask(a.v, a.v, _CMP_ORD_Q), a.v, b.v);
}
INLINE Lanes<float> smaller(Lanes<float> a, Lanes<float> b) {
    return _mm512_mask_min_ps(a.v, _mm512_cmp_ps_mask(a.v, a.v, _CMP_ORD_Q), a.v, b.v);
}
#elif defined(__AVX__)
INLINE Lanes<double> larger(Lanes<double> a, Lanes<double> b) {
    return _mm256_blendv_pd(_mm256_max_pd(a.v, b.v), a.v, _mm256_cmp_pd(a.v, a.v, _CMP_UNORD_Q));
}
INLINE Lanes<double> smaller(Lanes<double> a, Lanes<double> b) {
    return _mm256_blendv_pd(_mm256_min_pd(a.v, b.v), a.v, _mm256_cmp_pd(a.v, a.v, _CMP_UNORD_Q));
}
INLINE Lanes<float> larger(Lanes<float> a, Lanes<float> b) {
    return _mm256_blendv_ps(_mm256_max_ps(a.v, b.v), a.v, _mm256_cmp_ps(a.v, a.v, _CMP_UNORD_Q));
}
INLINE Lanes<float> smaller(Lanes<float> a, Lanes<float> b) {
    return _mm256_blendv_ps(_mm256_min_ps(a.v, b.v), a.v, _mm256_cmp_ps(a.v, a.v, _CMP_UNORD_Q));
}
#else
template <class T> INLINE Lanes<T> larger(Lanes<T> a, Lanes<T> b) {
    for (i64 i = 0; i < Lanes<T>::count; i++) a.v[i] = np_max<T>(a.v[i], b.v[i]);
    return a;
}
template <class T> INLINE Lanes<T> smaller(Lanes<T> a, Lanes<T> b) {
    for (i64 i = 0; i < Lanes<T>::count; i++) a.v[i] = np_min<T>(a.v[i], b.v[i]);
    return a;
}
#endif
// As `floor_mod` of each of them; where a quotient is not as usual, one by one.
template <class T> [[gnu::noinline]] static Lanes<T> floor_mod_of_each(Lanes<T> a, Lanes<T> b) {
    for (i64 i = 0; i < Lanes<T>::count; i++) a.v[i] = floor_mod((T)a.v[i], (T)b.v[i]);
    return a;
}
#if defined(__AVX512DQ__)
INLINE Lanes<double> floor_mod(Lanes<double> a, Lanes<double> b) {
    const __m512d sign = _mm512_set1_pd(-0.0), zero = _mm512_setzero_pd(), q = a.v / b.v;
    const __m512d size = _mm512_andnot_pd(sign, b.v);
    const __mmask8 usual = _mm512_cmp_pd_mask(_mm512_andnot_pd(sign, q), _mm512_set1_pd(0x1p52), _CMP_LT_OQ)
        & _mm512_cmp_pd_mask(size, _mm512_set1_pd(std::numeric_limits<double>::max()), _CMP_LE_OQ)
        & _mm512_cmp_pd_mask(size, zero, _CMP_NEQ_OQ);
    if (!LIKELY(usual == 0xff)) return floor_mod_of_each(a, b);
    const __m512d whole = _mm512_roundscale_pd(q, _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC);
    __m512d r = _mm512_fnmadd_pd(whole, b.v, a.v);
    const __m512d like_a = _mm512_or_pd(size, _mm512_and_pd(sign, a.v));
    __mmask8 other = _mm512_cmp_pd_mask(r, zero, _CMP_LT_OQ) ^ _mm512_cmp_pd_mask(a.v, zero, _CMP_LT_OQ);
    r = _mm512_mask_add_pd(r, other & _mm512_cmp_pd_mask(r, zero, _CMP_NEQ_OQ), r, like_a);
    const __mmask8 some = _mm512_cmp_pd_mask(r, zero, _CMP_NEQ_OQ);
    other = _mm512_cmp_pd_mask(r, zero, _CMP_LT_OQ) ^ _mm512_cmp_pd_mask(b.v, zero, _CMP_LT_OQ);
    r = _mm512_mask_add_pd(r, other & some, r, b.v);
    return _mm512_mask_and_pd(r, (__mmask8)~some, sign, b.v);
}
#elif defined(__AVX__) && defined(__FMA__)
INLINE Lanes<double> floor_mod(Lanes<double> a, Lanes<double> b) {
    const __m256d sign = _mm256_set1_pd(-0.0), zero = _mm256_setzero_pd(), q = a.v / b.v;
    const __m256d size = _mm256_andnot_pd(sign, b.v);
    const __m256d usual = _mm256_and_pd(
        _mm256_cmp_pd(_mm256_andnot_pd(sign, q), _mm256_set1_pd(0x1p52), _CMP_LT_OQ),
        _mm256_and_pd(_mm256_cmp_pd(size, _mm256_set1_pd(std::numeric_limits<double>::max()), _CMP_LE_OQ),
            _mm256_cmp_pd(size, zero, _CMP_NEQ_OQ)));
    if (!LIKELY(_mm256_movemask_pd(usual) == 0xf)) return floor_mod_of_each(a, b);
    const __m256d whole = _mm256_round_pd(q, _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC);
    __m256d r = _mm256_fnmadd_pd(whole, b.v, a.v);
    const __m256d like_a = _mm256_or_pd(size, _mm256_and_pd(sign, a.v));
    __m256d other = _mm256_xor_pd(_mm256_cmp_pd(r, zero, _CMP_LT_OQ), _mm256_cmp_pd(a.v, zero, _CMP_LT_OQ));
    other = _mm256_and_pd(other, _mm256_cmp_pd(r, zero, _CMP_NEQ_OQ));
    r = _mm256_add_pd(r, _mm256_and_pd(other, like_a));
    const __m256d some = _mm256_cmp_pd(r, zero, _CMP_NEQ_OQ);
    other = _mm256_xor_pd(_mm256_cmp_pd(r, zero, _CMP_LT_OQ), _mm256_cmp_pd(b.v, zero, _CMP_LT_OQ));
    r = _mm256_add_pd(r, _mm256_and_pd(_mm256_and_pd(other, some), b.v));
    return _mm256_blendv_pd(_mm256_and_pd(sign, b.v), r, some);
}
#else
INLINE Lanes<double> floor_mod(Lanes<double> a, Lanes<double> b) { return floor_mod_of_each(a, b); }
#endif
INLINE Lanes<float> floor_mod(Lanes<float> a, Lanes<float> b) { return floor_mod_of_each(a, b); }
template <class T> using Wide = typename std::enable_if<std::is_floating_point<T>::value, Lanes<T>>::type;
template <class T> INLINE Wide<T> np_max(Wide<T> a, Wide<T> b) { return larger(a, b); }
template <class T> INLINE Wide<T> np_min(Wide<T> a, Wide<T> b) { return smaller(a, b); }

// ---- two registers in turns

// A sum of many terms is a chain: each waits for the one before it, four cycles and more. Two chains
// of which each does its part meanwhile take half as long. The compiler would put one behind the
// other again, were they not bound together at each sum.
template <class T> struct Chains {
    typedef Lanes<T> Half;
    static constexpr i64 count = 2 * Half::count;
    Half a, b;
    Chains() = default;
    INLINE_MEMBER Chains(Half a, Half b) : a(a), b(b) {}
    INLINE_MEMBER Chains(T x) : a(x), b(x) {}
    static INLINE_MEMBER Chains at(const T *p) { return {Half::at(p), Half::at(p + Half::count)}; }
    static INLINE_MEMBER Chains at(const T *p, i64 step) {
        return {Half::at(p, step), Half::at(p + Half::count * step, step)};
    }
    INLINE_MEMBER void put(T *p) const { a.put(p); b.put(p + Half::count); }
    static INLINE_MEMBER Chains together(Half a, Half b) {
#ifdef __AVX__
        asm("" : "+v"(a.v), "+v"(b.v));
#endif
        return {a, b};
    }
    friend INLINE_MEMBER Chains operator+(Chains x, Chains y) { return together(x.a + y.a, x.b + y.b); }
    friend INLINE_MEMBER Chains operator-(Chains x, Chains y) { return together(x.a - y.a, x.b - y.b); }
    friend INLINE_MEMBER Chains operator*(Chains x, Chains y) { return {x.a * y.a, x.b * y.b}; }
    friend INLINE_MEMBER Chains operator-(Chains x) { return {-x.a, -x.b}; }
};
