
// ---- some elements beside each other, in one register

// The compiler makes vectors of loops by itself, but of NumPy's maximum, which hands NaN on and tells
// 0.0 from -0.0, six instructions instead of two.
#if defined(__AVX512F__)
#define LANE_BYTES 64
#elif defined(__AVX__)
#define LANE_BYTES 32
#endif
#ifdef LANE_BYTES
#include <immintrin.h>
constexpr bool has_lanes = true;
#else
#define LANE_BYTES 16
constexpr bool has_lanes = false;
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
    INLINE_MEMBER Lanes(T x) { for (i64 i = 0; i < count; i++) v[i] = x; }
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
template <class T> using Wide = typename std::enable_if<std::is_floating_point<T>::value, Lanes<T>>::type;
template <class T> INLINE Wide<T> np_max(Wide<T> a, Wide<T> b) { return larger(a, b); }
template <class T> INLINE Wide<T> np_min(Wide<T> a, Wide<T> b) { return smaller(a, b); }
template <class T> INLINE Lanes<T> lanes_at(const T *p) {
    Lanes<T> made;
    std::memcpy(&made.v, p, sizeof made.v);
    return made;
}
// Every second element from there on: no more is read than the last of them.
template <class T> INLINE Lanes<T> second_lanes_at(const T *p) {
    constexpr i64 n = Lanes<T>::count;
    typename VectorOf<T>::Places places;
    for (i64 i = 0; i < n; i++) places[i] = 2 * i < n ? 2 * i : 2 * i + 1;
    return __builtin_shuffle(lanes_at(p).v, lanes_at(p + n - 1).v, places);
}
template <class T> INLINE Lanes<T> lanes_at(const T *p, i64 step) {
    if (step == 2) return second_lanes_at(p);
    Lanes<T> made;
    for (i64 i = 0; i < Lanes<T>::count; i++) made.v[i] = p[i * step];
    return made;
}
template <class T> INLINE void put_lanes(T *p, Lanes<T> x) { std::memcpy(p, &x.v, sizeof x.v); }
