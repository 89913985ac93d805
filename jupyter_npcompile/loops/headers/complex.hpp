// Complex numbers, as NumPy computes with them
#pragma once
#include "basics.hpp"

struct Complex {
    double re, im;
    Complex() = default;
    Complex(double re, double im = 0.0) : re(re), im(im) {}
};
static inline Complex operator+(Complex a, Complex b) { return {a.re + b.re, a.im + b.im}; }
static inline Complex operator-(Complex a, Complex b) { return {a.re - b.re, a.im - b.im}; }
static inline Complex operator-(Complex a) { return {-a.re, -a.im}; }
static inline Complex operator*(Complex a, Complex b) {
    return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}
static inline Complex operator/(Complex a, Complex b) {  // R. L. Smith, 1962
    const double re = math::fabs(b.re), im = math::fabs(b.im);
    if (re >= im) {
        NEED(re != 0.0 || im != 0.0);
        const double ratio = b.im / b.re, scale = 1.0 / (b.re + b.im * ratio);
        return {(a.re + a.im * ratio) * scale, (a.im - a.re * ratio) * scale};
    }
    const double ratio = b.re / b.im, scale = 1.0 / (b.im + b.re * ratio);
    return {(a.re * ratio + a.im) * scale, (a.im * ratio - a.re) * scale};
}
static inline bool operator==(Complex a, Complex b) { return a.re == b.re && a.im == b.im; }
static inline bool operator!=(Complex a, Complex b) { return !(a == b); }
static inline double magnitude(Complex a) { return math::hypot(a.re, a.im); }
static inline double python_magnitude(Complex a) {  // raises where it is too large
    const double c = magnitude(a);
    NEED(math::isfinite(c) || !math::isfinite(a.re) || !math::isfinite(a.im));
    return c;
}
// np.abs, to the last bit where processors multiply and add in one step: the larger part, times what
// the ratio of both makes of it. (The builtin abs has the C library's, for NumPy's numbers, too.)
static inline double np_abs(Complex a) {
    const double re = math::fabs(a.re), im = math::fabs(a.im);
    const bool turned = __builtin_isless(re, im);
    const double larger = turned ? im : re, smaller = turned ? re : im;
    const bool plain = __builtin_isgreater(larger, 0.0) & __builtin_isless(larger, INFINITY);
    const double ratio = (plain ? smaller : 0.0) / (plain ? larger : 1.0);
#ifdef __FMA__
    const double square = __builtin_fma(ratio, ratio, 1.0);
#else
    const double square = ratio * ratio + 1.0;
#endif
    const double made = larger * math::sqrt(square);
    return (re == INFINITY) | (im == INFINITY) ? INFINITY : made;
}
// The C library's, as in NumPy. (What <complex> declares takes longer to read than most loops.)
typedef __complex__ double Joined;
static inline Joined joined(Complex a) {
    Joined c;
    __real__ c = a.re;
    __imag__ c = a.im;
    return c;
}
static inline Complex parted(Joined c) { return {__real__ c, __imag__ c}; }
static inline Complex complex_exp(Complex a) { return parted(__builtin_cexp(joined(a))); }
static inline Complex complex_sqrt(Complex a) { return parted(__builtin_csqrt(joined(a))); }

