// Comparisons, and one of two.
#pragma once
#include "complex.hpp"

// Comparisons with NaN that leave no floating-point flag: NumPy does not warn of them.
template <class T> static inline bool lt(T a, T b) {
    if constexpr (std::is_floating_point<T>::value) return __builtin_isless(a, b);
    else return a < b;
}
template <class T> static inline bool le(T a, T b) {
    if constexpr (std::is_floating_point<T>::value) return __builtin_islessequal(a, b);
    else return a <= b;
}
template <class T> static inline bool eq(T a, T b) { return a == b; }
template <class T> static inline bool gt(T a, T b) { return lt<T>(b, a); }
template <class T> static inline bool ge(T a, T b) { return le<T>(b, a); }
// One of two, where a vector is not to be had: by a comparison that leaves no flag, and no branch.
// (The compiler would take doubles through other registers for that.)
template <class T> INLINE T picked_lt(T a, T b, T x, T y);
template <class T> INLINE T picked_le(T a, T b, T x, T y);
template <class T> INLINE T picked_eq(T a, T b, T x, T y);
#if defined(__AVX__)
#define PICKED(name, compare, symbol) \
    template <class T> INLINE T name(T a, T b, T x, T y) { \
        if constexpr (std::is_same<T, double>::value) { \
            double made; \
            asm("vcmpsd $" #compare ", %2, %1, %0\n\tvblendvpd %0, %3, %4, %0" : "=&x"(made) : "x"(a), "x"(b), "x"(x), "x"(y)); \
            return made; \
        } else return symbol<T>(a, b) ? x : y; \
    }
#else
#define PICKED(name, compare, symbol) \
    template <class T> INLINE T name(T a, T b, T x, T y) { return symbol<T>(a, b) ? x : y; }
#endif
PICKED(picked_lt, 17, lt)
PICKED(picked_le, 18, le)
PICKED(picked_eq, 0, eq)
template <class T> INLINE T picked_gt(T a, T b, T x, T y) { return picked_lt<T>(b, a, x, y); }
template <class T> INLINE T picked_ge(T a, T b, T x, T y) { return picked_le<T>(b, a, x, y); }
// The same in a loop that is vectorised.
template <class T> INLINE T chosen_lt(T a, T b, T x, T y) { return lt<T>(a, b) ? x : y; }
template <class T> INLINE T chosen_le(T a, T b, T x, T y) { return le<T>(a, b) ? x : y; }
template <class T> INLINE T chosen_gt(T a, T b, T x, T y) { return lt<T>(b, a) ? x : y; }
template <class T> INLINE T chosen_ge(T a, T b, T x, T y) { return le<T>(b, a) ? x : y; }
// One of two integers. The compiler makes a branch of a conditional expression, unless it cannot
// see what one of them is; and vectors of masks only.
template <class T> INLINE T picked_bits(bool first, T x, T y) {
    asm("" : "+r"(x));
    return first ? x : y;
}
template <class T> INLINE T chosen_bits(bool first, T x, T y) { return y ^ ((x ^ y) & (T)-(T)first); }
// A number that the compiler knows nothing of, which is one of two that elements may have: it would
// make a branch where it can compute what becomes of it, and no vectors.
template <class T> INLINE T unknown(T v) {
    asm("" : OF_FLOAT(v));
    return v;
}
// As np.isclose has it, for what is finite.
static inline bool is_close(double a, double b) {
    NEED(math::isfinite(a) && math::isfinite(b));
    return math::fabs(a - b) <= 1e-8 + 1e-5 * math::fabs(b);
}

// Of zeros of two signs NumPy takes the second, and processors do; clipping leaves the first. The
// compiler puts one after the other into vectors only where it is asked about a number by halves:
// first whether the second is taken, then whether that is no number.
template <class T> INLINE T number_of(T a, T b) { return ((a != a) | (b == b)) ? a : b; }
template <class T> static inline T np_max(T a, T b) { return le<T>(a, b) ? b : number_of<T>(a, b); }
template <class T> static inline T np_min(T a, T b) { return ge<T>(a, b) ? b : number_of<T>(a, b); }
template <class T> static inline T at_least(T a, T b) { return lt<T>(a, b) ? b : number_of<T>(a, b); }
template <class T> static inline T at_most(T a, T b) { return gt<T>(a, b) ? b : number_of<T>(a, b); }
template <class T> static inline T np_sign(T a) {
    // In vectors, what is larger or smaller than zero is asked in a way that minds NaN.
    if constexpr (std::is_floating_point<T>::value) {
        const T one = math::copysign((T)1, a);
        return (a == 0) | (a != a) ? a + (T)0 : one;
    } else return (T)((int)gt<T>(a, 0) - (int)lt<T>(a, 0));
}
// One of two by their bits: the compiler would not put a branch into a vector.
template <class T> INLINE T blended(bool which, T a, T b, uint64_t hidden = 0) {
    typedef std::conditional_t<sizeof(T) == 8, uint64_t, std::conditional_t<sizeof(T) == 4, uint32_t,
        std::conditional_t<sizeof(T) == 2, uint16_t, uint8_t>>> Bits;
    Bits x, y;
    std::memcpy(&x, &a, sizeof x);
    std::memcpy(&y, &b, sizeof y);
    const Bits mask = (Bits)(-(Bits)which ^ (Bits)hidden), bits = (Bits)((x & mask) | (y & ~mask));
    T made;
    std::memcpy(&made, &bits, sizeof made);
    return made;
}
// Zero, which the compiler does not know.
__attribute__((const, noinline, noipa)) static uint64_t hidden_zero() { return 0; }
// One of two that are both computed, as in NumPy, which warns of either. Knew the compiler that all
// bits of a mask are the same, it would tell the processor to leave out what is not taken.
template <class T> INLINE T chosen(bool which, T a, T b) {
    if constexpr (std::is_same<T, Complex>::value)
        return {chosen<double>(which, a.re, b.re), chosen<double>(which, a.im, b.im)};
    else return blended<T>(which, a, b, hidden_zero());
}
static inline double math_domain(double x, double y) { NEED(math::isfinite(y) || !math::isfinite(x)); return y; }
static inline double np_heaviside(double x, double h) { return x != x ? x : x == 0.0 ? h : lt(x, 0.0) ? 0.0 : 1.0; }
static inline double logaddexp(double x, double y) {
    if (x == y) return x + 0.693147180559945309417232121458176568;
    const double d = x - y;
    return d > 0 ? x + math::log1p(math::exp(-d)) : d <= 0 ? y + math::log1p(math::exp(d)) : d;
}

