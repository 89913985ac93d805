// NumPy's error state changes in the middle of a run.
#pragma once
#include "complex.hpp"
#include "arrays.hpp"
#include "runs.hpp"

// The compiler knows nothing of floating-point flags: it computes something as late as it likes, or
// takes what it has computed already. What a variable holds is computed before it is pinned, and
// what is computed of it afterwards is computed after that.
template <class T> INLINE void pin(T &v) {
    if constexpr (std::is_floating_point_v<T>) asm volatile("" : OF_FLOAT(v) : : "memory");
    else if constexpr (std::is_integral_v<T>) asm volatile("" : "+r"(v) : : "memory");
}
INLINE void pin(Complex &v) { pin(v.re); pin(v.im); }
template <class T, int N> INLINE void pin(Array<T, N> &v) {
    for (int d = 0; d < N; d++) pin(v.n[d]);
}
template <class T, i64... LENGTHS> INLINE void pin(Small<T, LENGTHS...> &v) {
    for (i64 k = 0; k < v.COUNT; k++) pin(v.p[k]);
}
template <class... T> INLINE void pin_all(T &...v) { (pin(v), ...); }
// From here on such flags do not matter.
static inline void ignore(Run &run, int flags) {
    run.flags |= fetestexcept(FE_ALL_EXCEPT) & ~run.ignored;
    clear_flags();
    run.ignored = flags;
}
