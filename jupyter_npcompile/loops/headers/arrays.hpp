// Arrays in native code: views, arrays that own memory, and small ones that are values.
#pragma once
#include "memory.hpp"

template <class T, int N> struct View {
    T *p;
    i64 n[N], s[N];  // strides in elements
    Buffer *b;       // null where the memory belongs to Python
    i64 id;          // tells views apart; 0 for all of a buffer, less for arguments
    i64 size() const { i64 k = 1; for (int d = 0; d < N; d++) k *= n[d]; return k; }
    bool contiguous() const {
        i64 step = 1;
        for (int d = N - 1; d >= 0; d--) { if (n[d] != 1 && s[d] != step) return false; step *= n[d]; }
        return true;
    }
};
// In which order an array lies in memory: C's (1), another (2), or one that counts as any (0).
template <class T, int N> static inline int order_of(const View<T, N> &v) {
    if (v.b && v.b->odd) return 2;
    i64 least = 0;
    for (int d = N - 1; d >= 0; d--) {
        const i64 step = v.s[d] < 0 ? -v.s[d] : v.s[d];
        if (v.n[d] <= 1 || !step) continue;
        if (step < least) return 2;
        if (least && d == 0) return 1;
        least = step;
    }
    return 0;
}
template <class T, int N> static inline bool is_odd(const View<T, N> &v) { return order_of(v) == 2; }
// The same for copies, in whose order an axis counts along which an array is repeated, too.
template <class T, int N> static inline bool is_unordered(const View<T, N> &v) {
    for (int d = 0; d < N; d++) if (v.n[d] > 1 && !v.s[d]) return true;
    return is_odd(v);
}
// Whether NumPy gives what it makes of arrays another order than C's, which wins where they differ.
static inline bool makes_odd(int ndim, std::initializer_list<int> orders) {
    bool c = false, other = false;
    for (const int order : orders) { c |= order == 1; other |= order == 2; }
    return other && (ndim > 2 || !c);
}
// No function gets the address of one: what is known to lie nowhere else is kept in registers.
#define KEPT __attribute__((always_inline))
template <class T, i64... LENGTHS> struct Small;
template <class T, int N> struct Array : View<T, N> {
    template <class U, i64... LENGTHS> Array(const Small<U, LENGTHS...> &) = delete;  // it has no memory
    template <class U, i64... LENGTHS> Array &operator=(const Small<U, LENGTHS...> &) = delete;
    KEPT Array() { this->p = nullptr; this->b = nullptr; this->id = 0; for (int d = 0; d < N; d++) this->n[d] = this->s[d] = 0; }
    KEPT Array(const View<T, N> &v) : View<T, N>(v) { if (this->b) ++this->b->refs; }
    KEPT Array(const Array &v) : View<T, N>(v) { if (this->b) ++this->b->refs; }
    KEPT Array &operator=(const View<T, N> &v) {
        Buffer *old = this->b;
        if (v.b) ++v.b->refs;
        static_cast<View<T, N> &>(*this) = v;
        drop(old);
        return *this;
    }
    KEPT Array &operator=(const Array &v) { return *this = static_cast<const View<T, N> &>(v); }
    KEPT ~Array() { drop(this->b); }
};
// An array of few elements, which is a value: see small_arrays.py. The names of its parts are those
// of a view, but lengths and strides are constants; what takes views gets the one it begins with.
template <class T, i64... LENGTHS> struct Small : View<T, sizeof...(LENGTHS)> {
    static constexpr int N = sizeof...(LENGTHS);
    static constexpr i64 COUNT = (LENGTHS * ...);
    struct Strides {
        i64 at[N];
        constexpr Strides() : at{} {
            const i64 lengths[N] = {LENGTHS...};
            i64 step = 1;
            for (int d = N - 1; d >= 0; d--) { at[d] = step; step *= lengths[d]; }
        }
        constexpr i64 operator[](int d) const { return at[d]; }
    };
    static constexpr i64 n[N] = {LENGTHS...};
    static constexpr Strides s{};
    static constexpr Buffer *b = nullptr;
    static constexpr i64 id = 0;
    T p[COUNT];
    KEPT Small() {
        View<T, N> &view = *this;
        view.p = p;
        for (int d = 0; d < N; d++) { view.n[d] = n[d]; view.s[d] = s[d]; }
        view.b = nullptr;
        view.id = 0;
    }
    KEPT Small(const Small &other) : Small() { *this = other; }
    KEPT Small &operator=(const Small &other) {
        for (i64 k = 0; k < COUNT; k++) p[k] = other.p[k];
        return *this;
    }
    // A view of the same lengths.
    KEPT Small &operator=(const View<T, N> &other) {
        static_assert(N == 1, "the order of such a view might be another one");
        for (i64 k = 0; k < COUNT; k++) p[k] = other.p[k * other.s[0]];
        return *this;
    }
};
// Whether nobody else has any of an array's memory.
template <class T, int N> INLINE bool is_sole(const View<T, N> &a) {
    return a.b && a.b->refs == 1 && a.id == 0 && !a.b->odd && a.contiguous();
}
// The array is all of its buffer.
template <class T, int N> static inline void own(View<T, N> &a) {
    static_assert(N <= MOST_DIMENSIONS, "too many dimensions");
    a.id = 0;
    a.b->ndim = N;
    for (int d = 0; d < N; d++) a.b->n[d] = a.n[d];
}
template <class T, int N> static inline Array<T, N> fresh(Spare &spare, const i64 (&n)[N], int type) {
    Array<T, N> a;
    i64 step = 1;
    for (int d = N - 1; d >= 0; d--) { NEED(n[d] >= 0); a.n[d] = n[d]; a.s[d] = step; step *= n[d]; }
    NEED(step < (i64)1 << 40);
    a.b = new_buffer(spare, step * (i64)sizeof(T));
    a.b->refs = 1;
    a.b->type = type;
    a.p = reinterpret_cast<T *>(a.b->data());
    own(a);
    return a;
}
// The same elements in memory.
template <class T, i64... LENGTHS> static inline auto boxed(Spare &spare, const Small<T, LENGTHS...> &a, int type) {
    const i64 n[] = {LENGTHS...};
    auto made = fresh<T, sizeof...(LENGTHS)>(spare, n, type);
    for (i64 k = 0; k < a.COUNT; k++) made.p[k] = a.p[k];
    return made;
}
template <class T, int N> static inline Array<T, N> boxed(Spare &spare, const View<T, N> &a, int type) {
    Array<T, N> made = fresh<T, N>(spare, a.n, type);
    i64 k[N] = {};
    for (i64 at = 0; at < made.size(); at++) {
        const T *from = a.p;
        for (int d = 0; d < N; d++) from += k[d] * a.s[d];
        made.p[at] = *from;
        for (int d = N - 1; d >= 0 && ++k[d] == a.n[d]; d--) k[d] = 0;
    }
    return made;
}
template <class T, int N> INLINE void span(const View<T, N> &v, const char *&low, const char *&high) {
    low = high = reinterpret_cast<const char *>(v.p);
    for (int d = 0; d < N; d++) {
        if (v.n[d] == 0) { high = low; return; }
        const i64 reach = (v.n[d] - 1) * v.s[d] * (i64)sizeof(T);
        if (reach < 0) low += reach; else high += reach;
    }
    high += sizeof(T);
}
// Whether writing into one while reading the other, element by element, gives something else.
template <class T, int N, class U, int M>
INLINE bool clash(const View<T, N> &to, const View<U, M> &from) {
    const char *a, *b, *c, *d;
    span(to, a, b);
    span(from, c, d);
    if (a >= d || c >= b) return false;
    if constexpr (N == M && sizeof(T) == sizeof(U)) {
        if ((const char *)to.p != (const char *)from.p) return true;
        for (int k = 0; k < N; k++)
            if (to.n[k] != from.n[k] || (to.n[k] > 1 && to.s[k] != from.s[k])) return true;
        return false;
    }
    return true;
}

template <class T, int N, class U, int M>
INLINE bool overlaps(const View<T, N> &one, const View<U, M> &other) {
    const char *a, *b, *c, *d;
    span(one, a, b);
    span(other, c, d);
    return a < d && c < b;
}

// Whether all elements of an array lie at different places.
template <class T, int N> INLINE bool apart(const View<T, N> &v) {
    i64 steps[N], counts[N];
    int many = 0;
    for (int d = 0; d < N; d++) {
        if (v.n[d] == 0) return true;
        if (v.n[d] == 1) continue;
        const i64 step = v.s[d] < 0 ? -v.s[d] : v.s[d];
        int k = many++;
        for (; k > 0 && steps[k - 1] > step; k--) { steps[k] = steps[k - 1]; counts[k] = counts[k - 1]; }
        steps[k] = step;
        counts[k] = v.n[d];
    }
    i64 reach = 0;
    for (int k = 0; k < many; k++) {
        if (steps[k] <= reach) return false;
        reach += steps[k] * (counts[k] - 1);
    }
    return true;
}

