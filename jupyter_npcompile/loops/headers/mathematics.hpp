// Exponentials and logarithms of arrays, without branches: so they are vectorised
#pragma once
#include "choices.hpp"

// The vector functions of the C library are as fast; exp is 2.4 units in the last place away from
// the truth there, and 0.8 here, log 0.8 and 0.5 (10 000 drawn numbers). All tests are of bits:
// comparing vectors with NaN sets a flag.
static inline uint64_t bits_of(double a) { uint64_t b; std::memcpy(&b, &a, sizeof b); return b; }
static inline double of_bits(uint64_t b) { double a; std::memcpy(&a, &b, sizeof a); return a; }
#define BITS_OF_INFINITY 0x7ff0000000000000ull
#ifdef __FP_FAST_FMA
// x = n ln 2 + r with |r| <= ln 2 / 2 (W. J. Cody and W. Waite: the first part of ln 2 has 38 bits,
// its product with n is exact), and e^r = 1 + r + r^2 / 2 + r^3 q(r). The polynomial q goes through
// its function at Chebyshev's points of the interval, and is 8e-18 away at most.
INLINE double quick_exp(double x) {
    const uint64_t bits = bits_of(x), size = bits & ~(1ull << 63), most = bits_of(746.0);
    const bool large = (i64)size > (i64)most, is_nan = (i64)size > (i64)BITS_OF_INFINITY;
    const double near = blended<double>(large, of_bits(most | (bits ^ size)), x);
    const double a = blended<double>(is_nan, 0.0, near), shift = 0x1.8p52;
    const double z = __builtin_fma(a, 0x1.71547652b82fep+0, shift), n = z - shift;
    const double whole = __builtin_fma(-n, 0x1.62e42fefa0000p-1, a), rest = n * 0x1.cf79abc9e3b3ap-40;
    const double r = whole - rest, low = (whole - r) - rest;
    double q = 0x1.1f66df7fca49fp-29;
    q = __builtin_fma(q, r, 0x1.af38a9b0ec855p-26);
    q = __builtin_fma(q, r, 0x1.27e4e1f48534fp-22);
    q = __builtin_fma(q, r, 0x1.71de0dae63bb3p-19);
    q = __builtin_fma(q, r, 0x1.a01a01a47b054p-16);
    q = __builtin_fma(q, r, 0x1.a01a01a7c41d5p-13);
    q = __builtin_fma(q, r, 0x1.6c16c16c167e1p-10);
    q = __builtin_fma(q, r, 0x1.11111111109b3p-7);
    q = __builtin_fma(q, r, 0x1.5555555555555p-5);
    q = __builtin_fma(q, r, 0x1.5555555555556p-3);
    const double y = 1.0 + (__builtin_fma(r * r, __builtin_fma(q, r, 0.5), low) + r);
    // Two to the power of n in two factors, for one would not do near the ends. What is too large,
    // or too small, sets its flag here.
    const uint64_t k = bits_of(z) - bits_of(shift) + 2048, half = k >> 1;
    const double made = y * of_bits((half - 1) << 52) * of_bits((k - half - 1) << 52);
    return blended<double>(is_nan, x, made);
}
// x = 2^n m with m between the roots of 1/2 and 2; with f = m - 1 and s = f / (2 + f),
// log m = 2 artanh s = f - (h - s (h + s^2 p(s^2))), h = f^2 / 2, for 2 s = f - s f and
// s f = h (1 - s). The polynomial p is found as above, and is 3e-16 away at most, times s^3.
INLINE double quick_log(double x) {
    const uint64_t given = bits_of(x), size = given & ~(1ull << 63), root = 0x3fe6a09e667f3bcdull;
    const bool small = (i64)given < (i64)1 << 52, is_zero = size == 0;
    const bool below = (i64)given < 0 && (i64)size <= (i64)BITS_OF_INFINITY && size != 0;
    const uint64_t bits = bits_of(blended<double>(small, x * 0x1p54, x));
    const uint64_t k = (bits - root + (1024ull << 52)) >> 52;
    const double f = of_bits(bits - ((k - 1024) << 52)) - 1.0;
    const double n = of_bits(0x4330000000000000ull + k) - blended<double>(small, 0x1p52 + 1078.0, 0x1p52 + 1024.0);
    // Of zero, s is minus infinity by a division by zero, and sets its flag.
    const double s = blended<double>(is_zero, -1.0, f) / blended<double>(is_zero, 0.0, 2.0 + f);
    const double w = s * s, h = 0.5 * f * f;
    double p = 0x1.2b59b713616c9p-3;
    p = __builtin_fma(p, w, 0x1.39fe42e9740a7p-3);
    p = __builtin_fma(p, w, 0x1.7462b58e46ebep-3);
    p = __builtin_fma(p, w, 0x1.c71c62e26208bp-3);
    p = __builtin_fma(p, w, 0x1.2492492df3ba9p-2);
    p = __builtin_fma(p, w, 0x1.99999999952ccp-2);
    p = __builtin_fma(p, w, 0x1.5555555555558p-1);
    const double last = __builtin_fma(s, __builtin_fma(p, w, h), n * 0x1.cf79abc9e3b3ap-40);
    const double made = n * 0x1.62e42fefa0000p-1 - ((h - last) - f);
    // Below zero infinity minus infinity is NaN, and sets the flag; elsewhere this adds nothing.
    const double wrong = blended<double>(below, INFINITY, 0.0);
    return blended<double>((i64)size >= (i64)BITS_OF_INFINITY, x, made) + (wrong - wrong);
}
#else
INLINE double quick_exp(double x) { return math::exp(x); }
INLINE double quick_log(double x) { return math::log(x); }
#endif
