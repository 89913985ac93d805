// What all native code begins with: Python, NumPy, short names, and numbers' functions.
#pragma once

// glibc has its functions for whole vectors, but says so only to those who ask for less
// exactness everywhere else too. They are as exact as NumPy's own. And C's own header is enough:
// what C++ adds to it takes longer to read than most loops.
#define _GLIBCXX_INCLUDE_NEXT_C_HEADERS
#ifndef __FAST_MATH__
#define __FAST_MATH__ 1
#include <math.h>
#undef __FAST_MATH__
#else
#include <math.h>
#endif
#define PY_SSIZE_T_CLEAN
#define NPY_NO_DEPRECATED_API NPY_2_0_API_VERSION
#define NPY_TARGET_VERSION NPY_2_0_API_VERSION
#include <Python.h>
#include <numpy/arrayobject.h>
#include <numpy/arrayscalars.h>
#undef _GLIBCXX_INCLUDE_NEXT_C_HEADERS
#include <cstdint>
#include <cstring>
#include <fenv.h>
#include <initializer_list>
#include <limits>
#include <new>
#include <stdlib.h>
#include <type_traits>
#undef isfinite
#undef isinf
#undef isnan
#undef signbit

typedef unsigned char bool8;
typedef int64_t i64;

struct Bail {};         // NumPy has to run this: it raises, or warns
struct Interrupted {};  // somebody pressed the key

// Where a floating-point number is, for an instruction that changes nothing.
#if defined(__x86_64__)
#define OF_FLOAT "+x"
#elif defined(__aarch64__)
#define OF_FLOAT "+w"
#else
#define OF_FLOAT "+m"
#endif
#define INLINE_MEMBER __attribute__((always_inline)) inline
#define INLINE static INLINE_MEMBER
#define INLINED __attribute__((always_inline))  // a function without a name
#define APART __attribute__((noinline))
[[noreturn, gnu::cold, gnu::noinline]] static void bail() { throw Bail(); }
#define LIKELY(...) __builtin_expect_with_probability(!!(__VA_ARGS__), 1, 0.9999)
#define NEED(condition) do { if (__builtin_expect(!(condition), 0)) bail(); } while (0)

// ---- the functions of C's library, of any number: as those of <cmath> are

namespace math {
#define OF_ONE(name) \
    INLINE_MEMBER double name(double a) { return ::name(a); } \
    INLINE_MEMBER float name(float a) { return ::name##f(a); } \
    template <class T> INLINE_MEMBER double name(T a) { return ::name((double)a); }
#define OF_TWO(name) \
    INLINE_MEMBER double name(double a, double b) { return ::name(a, b); } \
    INLINE_MEMBER float name(float a, float b) { return ::name##f(a, b); } \
    template <class A, class B> INLINE_MEMBER double name(A a, B b) { return ::name((double)a, (double)b); }
OF_ONE(sqrt) OF_ONE(cbrt) OF_ONE(exp) OF_ONE(exp2) OF_ONE(expm1)
OF_ONE(log) OF_ONE(log2) OF_ONE(log10) OF_ONE(log1p)
OF_ONE(sin) OF_ONE(cos) OF_ONE(tan) OF_ONE(asin) OF_ONE(acos) OF_ONE(atan)
OF_ONE(sinh) OF_ONE(cosh) OF_ONE(tanh) OF_ONE(asinh) OF_ONE(acosh) OF_ONE(atanh)
OF_ONE(fabs) OF_ONE(floor) OF_ONE(ceil) OF_ONE(trunc) OF_ONE(nearbyint)
OF_TWO(pow) OF_TWO(hypot) OF_TWO(atan2) OF_TWO(copysign) OF_TWO(fmod) OF_TWO(fmax) OF_TWO(fmin)
#undef OF_ONE
#undef OF_TWO
INLINE_MEMBER double fma(double a, double b, double c) { return __builtin_fma(a, b, c); }
template <class T> INLINE_MEMBER bool isfinite(T a) { return __builtin_isfinite(a); }
template <class T> INLINE_MEMBER bool isinf(T a) { return __builtin_isinf(a); }
template <class T> INLINE_MEMBER bool isnan(T a) { return __builtin_isnan(a); }
template <class T> INLINE_MEMBER bool signbit(T a) { return __builtin_signbit(a); }
template <class T> constexpr INLINE_MEMBER T min(T a, T b) { return b < a ? b : a; }
template <class T> constexpr INLINE_MEMBER T max(T a, T b) { return a < b ? b : a; }
template <class T> constexpr INLINE_MEMBER T min(std::initializer_list<T> all) {
    T made = *all.begin();
    for (const T a : all) made = min<T>(made, a);
    return made;
}
template <class T> constexpr INLINE_MEMBER T max(std::initializer_list<T> all) {
    T made = *all.begin();
    for (const T a : all) made = max<T>(made, a);
    return made;
}
template <class T> constexpr INLINE_MEMBER T clamp(T a, T low, T high) { return min<T>(max<T>(a, low), high); }
}

// Elements that lie one behind the other.
template <class T> INLINE void copied(const T *from, i64 count, T *to) {
    if (count > 0) std::memmove(to, from, (size_t)count * sizeof(T));
}
