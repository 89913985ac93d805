// Python's integers, as long as they fit; NumPy's, as long as it does not warn
#pragma once
#include "basics.hpp"

template <class T> static inline T checked_add(T a, T b) { T c; NEED(!__builtin_add_overflow(a, b, &c)); return c; }
template <class T> static inline T checked_sub(T a, T b) { T c; NEED(!__builtin_sub_overflow(a, b, &c)); return c; }
template <class T> static inline T checked_mul(T a, T b) { T c; NEED(!__builtin_mul_overflow(a, b, &c)); return c; }
template <class T> static inline T checked_neg(T a) { T c; NEED(!__builtin_sub_overflow((T)0, a, &c)); return c; }

// Whether a loop has lost a part of an integer: from then on each sum is looked at.
static bool careful_ = false;
[[noreturn, gnu::cold, gnu::noinline]] static void lost() { careful_ = true; bail(); }
// The integers of a loop that is vectorised, and looked at when it is over: see overflow.py.
struct Lazy {
    // Below zero when a number of so many bits was lost.
    int8_t lost8 = 0; int16_t lost16 = 0; int32_t lost32 = 0; i64 lost64 = 0;
    uint64_t factors = 0, added = 0;  // all bits that were in these numbers
    template <class T> INLINE_MEMBER void note(T sign) {
        if constexpr (sizeof(T) == 1) lost8 |= (int8_t)sign;
        else if constexpr (sizeof(T) == 2) lost16 |= (int16_t)sign;
        else if constexpr (sizeof(T) == 4) lost32 |= (int32_t)sign;
        else lost64 |= (i64)sign;
    }
    template <class T> INLINE_MEMBER T add(T a, T b) {
        typedef std::make_unsigned_t<T> U;
        const T c = (T)((U)a + (U)b);
        note<T>((T)-1 < 0 ? (T)((a ^ c) & (b ^ c)) : (T)((a & b) | ((a | b) & ~c)));
        return c;
    }
    template <class T> INLINE_MEMBER T sub(T a, T b) {
        typedef std::make_unsigned_t<T> U;
        const T c = (T)((U)a - (U)b);
        note<T>((T)-1 < 0 ? (T)((a ^ b) & (a ^ c)) : (T)((~a & b) | ((~a | b) & c)));
        return c;
    }
    template <class T> INLINE_MEMBER T mul(T a, T b) {
        if constexpr (sizeof(T) == 8) {
            factors |= bits(a) | bits(b);
            return (T)((uint64_t)a * (uint64_t)b);
        } else {
            const i64 c = (i64)a * (i64)b;  // of two of 32 bits without a sign: as many bits as there are
            lost64 |= -(i64)((T)-1 < 0 ? (i64)(T)c != c : ((uint64_t)c >> (sizeof(T) * 8)) != 0);
            return (T)c;
        }
    }
    template <class T> INLINE_MEMBER T neg(T a) {
        const T c = (T)-(std::make_unsigned_t<T>)a;
        note<T>((T)(a & c));
        return c;
    }
    // What is added up in one variable, in an order that the compiler chooses.
    template <class T> INLINE_MEMBER T sum(T a, T b) {
        added |= bits((i64)b);
        return (T)((std::make_unsigned_t<T>)a + (std::make_unsigned_t<T>)b);
    }
    template <class T> INLINE_MEMBER T less(T a, T b) {
        added |= bits((i64)b);
        return (T)((std::make_unsigned_t<T>)a - (std::make_unsigned_t<T>)b);
    }
    template <class T> static INLINE_MEMBER uint64_t bits(T a) { return (uint64_t)((T)-1 < 0 ? a ^ (a >> (sizeof(T) * 8 - 1)) : a); }
    void INLINE_MEMBER look() const {
        if (!LIKELY(!(factors >> 31) && (lost8 | lost16 | lost32 | lost64) >= 0)) lost();
    }
    // Whether a variable cannot have been too large at any time: it has been added to so often.
    template <class T> INLINE_MEMBER void look_at(T before, i64 count, i64 times) const {
        const unsigned __int128 most = (unsigned __int128)(uint64_t)(count * times) * ((unsigned __int128)added + 1);
        if (!LIKELY(most + bits(before) + 1 <= (unsigned __int128)std::numeric_limits<T>::max())) lost();
    }
};
template <class T> static inline T floor_div(T a, T b) {
    NEED(b != 0 && !(b == (T)-1 && (T)-1 < 0 && a == (T)((T)1 << (sizeof(T) * 8 - 1))));
    T q = a / b;
    if ((a % b != 0) && ((a < 0) != (b < 0))) --q;
    return q;
}
template <class T> static inline T floor_mod(T a, T b) {
    if (a >= 0 && a < b) return a;  // as an index has it that may go over the edge
    NEED(b != 0);
    if (b == (T)-1) return 0;
    // Short numbers are divided faster.
    if ((((uint64_t)a | (uint64_t)b) >> 32) == 0) return (T)((uint32_t)a % (uint32_t)b);
    T r = a % b;
    if (r != 0 && ((r < 0) != (b < 0))) r += b;
    return r;
}
// As math::fmod, which goes bit by bit. The whole quotient is too large by one at most, and what is
// left over is a double in either case: so the one rounding of math::fma changes nothing.
static inline double exact_fmod(double a, double b) {
#ifdef __FP_FAST_FMA
    const double q = a / b;
    if (LIKELY(math::fabs(q) < 0x1p52 && math::fabs(b) <= std::numeric_limits<double>::max())) {
        double r = math::fma(-math::trunc(q), b, a);
        if (r != 0.0 && (r < 0) != (a < 0)) r += math::copysign(b, a);
        return math::copysign(r, a);
    }
#endif
    return math::fmod(a, b);
}
static inline double floor_mod(double a, double b) {
    NEED(b != 0.0);
    double r = exact_fmod(a, b);
    if (r != 0.0) { if ((b < 0) != (r < 0)) r += b; } else r = math::copysign(0.0, b);
    return r;
}
static inline double floor_div(double a, double b) {
    NEED(b != 0.0);
    const double r = exact_fmod(a, b);
    double q = (a - r) / b;
    if (r != 0.0 && ((b < 0) != (r < 0))) q -= 1.0;
    if (q == 0.0) return math::copysign(0.0, a / b);
    double whole = math::floor(q);
    if (q - whole > 0.5) whole += 1.0;
    return whole;
}
static inline float floor_mod(float a, float b) {
    NEED(b != 0.0f);
    float r = math::fmod(a, b);
    if (r != 0.0f) { if ((b < 0) != (r < 0)) r += b; } else r = math::copysign(0.0f, b);
    return r;
}
static inline double true_div(i64 a, i64 b) {  // exact where both are doubles
    NEED(b != 0 && a < (i64)1 << 53 && a > -((i64)1 << 53) && b < (i64)1 << 53 && b > -((i64)1 << 53));
    return (double)a / (double)b;
}
// A number that is a Python integer at first, from when on it is a float.
static inline double later(int tag, double x) { NEED(tag != 2); return x; }
// Of two such numbers: an integer if both are, NumPy's if one is.
static inline int tag_of_two(int a, int b) { return a == 2 && b == 2 ? 2 : a == 1 || b == 1; }
// Their sum, difference or product: as an integer it is exact, and has no negative zero.
static inline double whole_or_float(int tag, double x) {
    if (tag != 2) return x;
    NEED(math::fabs(x) < 9007199254740992.0);
    return x + 0.0;
}
static inline double python_div(double a, double b) { NEED(b != 0.0); return a / b; }
// A power of a number, as Python and NumPy have it: to the last bit what pow has. The compiler
// does not see the exponent, or it would write x * x or 1 / x where pow may round another way.
static inline double number_pow(double a, double b) {
    asm("" : "+m"(b));
    return math::pow(a, b);
}
// A square. Pow rounds correctly except where the exact one is next to the middle of two doubles.
static inline double number_square(double a) {
#ifdef __FMA__
    const double c = a * a;
    if (LIKELY(c > 1e-280 && c < 1e300)) {
        const double rest = math::fma(a, a, -c);
        if (LIKELY(c + rest * 1.0625 == c)) return c;
    }
#endif
    return number_pow(a, 2.0);
}
static inline double python_pow(double a, double b) {
    NEED(!(a == 0.0 && b < 0.0) && !(a < 0.0 && b != math::floor(b)));
    const double c = number_pow(a, b);
    NEED(math::isfinite(c) || !math::isfinite(a) || !math::isfinite(b));
    return c;
}
static inline double python_square(double a) {  // raises where it is too large
    const double c = number_square(a);
    NEED(math::isfinite(c) || !math::isfinite(a));
    return c;
}
// Whether all numbers of a range have less than 40 bits.
static inline bool small_range(i64 first, i64 step, i64 count) {
    i64 last;
    if (count <= 0) return true;
    if (__builtin_mul_overflow(count - 1, step, &last) || __builtin_add_overflow(first, last, &last)) return false;
    return last < (i64)1 << 40 && last > -((i64)1 << 40);
}
template <class T> static inline T square(T a) { return a * a; }
template <class T> static inline T cube(T a) { return a * a * a; }
// As pow has them for minus infinity, and for minus zero.
template <class T> static inline T three_halves(T a) {
    const T c = a * math::sqrt(a);
    return a == -(T)INFINITY ? (T)INFINITY : c;
}
template <class T> static inline T inverse_root(T a) {
    const T c = (T)1 / math::sqrt(a + (T)0);
    return a == -(T)INFINITY ? (T)0 : c;
}
static inline double exactly(i64 a) { NEED(a <= (i64)1 << 53 && a >= -((i64)1 << 53)); return (double)a; }
template <class T> static inline T checked_pow(T a, i64 b) {
    NEED(b >= 0);
    T c = 1;
    while (b) { if (b & 1) c = checked_mul<T>(c, a); b >>= 1; if (b) a = checked_mul<T>(a, a); }
    return c;
}
template <class T> static inline T wrapping_pow(T a, i64 b) {
    NEED(b >= 0);
    T c = 1;
    while (b) { if (b & 1) c = (T)(c * a); b >>= 1; if (b) a = (T)(a * a); }
    return c;
}
static inline i64 shift_left(i64 a, i64 b) {
    NEED(b >= 0 && (a == 0 || b < 62));
    if (a == 0) return 0;
    const i64 c = (i64)((uint64_t)a << b);
    NEED((c >> b) == a);
    return c;
}
static inline i64 shift_right(i64 a, i64 b) { NEED(b >= 0); return b > 63 ? (a < 0 ? -1 : 0) : a >> b; }
template <class T> static inline T np_left(T a, T b) { return (uint64_t)b < sizeof(T) * 8 ? (T)((T)a << b) : (T)0; }
template <class T> static inline T np_right(T a, T b) {
    return (uint64_t)b < sizeof(T) * 8 ? (T)(a >> b) : (T)(a < 0 ? -1 : 0);
}
static inline i64 whole_root(i64 a) {
    NEED(a >= 0);
    uint64_t root = (uint64_t)math::sqrt((double)a);
    while (root * root > (uint64_t)a) root--;
    while ((root + 1) * (root + 1) <= (uint64_t)a) root++;
    return (i64)root;
}
static inline i64 factorial(i64 a) {
    NEED(a >= 0 && a <= 20);
    i64 made = 1;
    for (; a > 1; a--) made *= a;
    return made;
}
static inline uint64_t magnitude_of(i64 a) { return a < 0 ? -(uint64_t)a : (uint64_t)a; }
static inline i64 common_divisor(i64 a, i64 b) {
    uint64_t x = magnitude_of(a), y = magnitude_of(b);
    while (y) { const uint64_t rest = ((x | y) >> 32) ? x % y : (uint32_t)x % (uint32_t)y; x = y; y = rest; }
    NEED(x <= (uint64_t)std::numeric_limits<i64>::max());
    return (i64)x;
}
static inline i64 bit_length(i64 a) { return a ? 64 - __builtin_clzll(magnitude_of(a)) : 0; }
static inline i64 bit_count(i64 a) { return __builtin_popcountll(magnitude_of(a)); }
static inline i64 to_int(double a) { NEED(a > -9.2e18 && a < 9.2e18); return (i64)a; }
static inline i64 truncated(double a) { return to_int(math::trunc(a)); }
// NumPy's conversions: what does not fit is a warning, and so NumPy's.
template <class T> static inline T element(double a) {
    NEED(a > -9.2e18 && a < 9.2e18);
    const i64 whole = (i64)a;
    NEED((i64)(T)whole == whole);
    return (T)whole;
}
template <class T> static constexpr T fitting(i64 a) { NEED((i64)(T)a == a && ((T)-1 < 0 || a >= 0)); return (T)a; }

