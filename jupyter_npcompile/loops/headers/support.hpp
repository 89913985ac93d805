// What native loops are made of: arrays, exact Python arithmetic, NumPy's sums.

// glibc has its functions for whole vectors, but says so only to those who ask for less
// exactness everywhere else too. They are as exact as NumPy's own.
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
#include <numpy/random/bitgen.h>
#include <numpy/ufuncobject.h>
#include <cfenv>
#include <cmath>
#include <complex>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <chrono>
#include <algorithm>
#include <condition_variable>
#include <initializer_list>
#include <limits>
#include <memory>
#include <mutex>
#include <new>
#include <thread>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>
#include <csignal>
#ifdef __linux__
#include <sched.h>
#include <sys/mman.h>
#endif

typedef unsigned char bool8;
typedef int64_t i64;

struct Bail {};         // NumPy has to run this: it raises, or warns
struct Interrupted {};  // somebody pressed the key

#define INLINE_MEMBER __attribute__((always_inline)) inline
#define INLINE static INLINE_MEMBER
#define INLINED __attribute__((always_inline))  // a function without a name
#define APART __attribute__((noinline))
[[noreturn, gnu::cold, gnu::noinline]] static void bail() { throw Bail(); }
#define LIKELY(...) __builtin_expect_with_probability(!!(__VA_ARGS__), 1, 0.9999)
#define NEED(condition) do { if (__builtin_expect(!(condition), 0)) bail(); } while (0)

// ---- complex numbers, as NumPy computes with them

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
    const double re = std::fabs(b.re), im = std::fabs(b.im);
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
static inline double magnitude(Complex a) { return std::hypot(a.re, a.im); }
static inline double python_magnitude(Complex a) {  // raises where it is too large
    const double c = magnitude(a);
    NEED(std::isfinite(c) || !std::isfinite(a.re) || !std::isfinite(a.im));
    return c;
}
// np.abs, to the last bit where processors multiply and add in one step: the larger part, times what
// the ratio of both makes of it. (The builtin abs has the C library's, for NumPy's numbers, too.)
static inline double np_abs(Complex a) {
    const double re = std::fabs(a.re), im = std::fabs(a.im);
    const bool turned = __builtin_isless(re, im);
    const double larger = turned ? im : re, smaller = turned ? re : im;
    const bool plain = __builtin_isgreater(larger, 0.0) & __builtin_isless(larger, INFINITY);
    const double ratio = (plain ? smaller : 0.0) / (plain ? larger : 1.0);
#ifdef __FMA__
    const double square = __builtin_fma(ratio, ratio, 1.0);
#else
    const double square = ratio * ratio + 1.0;
#endif
    const double made = larger * std::sqrt(square);
    return (re == INFINITY) | (im == INFINITY) ? INFINITY : made;
}
// The C library's, as in NumPy.
static inline Complex complex_exp(Complex a) {
    const std::complex<double> c = std::exp(std::complex<double>(a.re, a.im));
    return {c.real(), c.imag()};
}
static inline Complex complex_sqrt(Complex a) {
    const std::complex<double> c = std::sqrt(std::complex<double>(a.re, a.im));
    return {c.real(), c.imag()};
}

// ---- memory

#define MOST_DIMENSIONS 11
struct Spare;
struct Buffer {
    i64 refs;
    i64 bytes;
    i64 room;          // what there is of memory, where it is large
    char *memory;
    union {
        PyObject *object;  // the ndarray that has been made of it, at the end
        Buffer *next;      // of those that are spare
    };
    Spare *spare;      // where it goes when nobody needs it any more
    bool small;        // head and memory are one piece
    bool given;        // the memory is the ndarray's now
    bool odd;          // whether NumPy has given what is in it another order than C's
    int type, ndim;    // of the array that it was made for
    i64 n[MOST_DIMENSIONS];
    char *data() { return memory; }
};
#define HEAD 192
static_assert(sizeof(Buffer) <= HEAD, "a buffer's head");
// Small memory that a run has done with. A loop asks for the same few sizes in
// each iteration, and malloc takes longer for aligned memory than the work.
#define SMALLEST_SPARE 6  // 64 bytes
#define LARGEST_SPARE 16
// So much memory of large arrays that nobody needs is kept: malloc gives the system back what is
// free at the end of its own, and to have a page again costs as much as to compute what is in it.
// There may be many arrays of up to a megabyte; of larger ones, a few would be felt.
struct Kept {
    i64 medium = 0, large = 0;
    bool has_room_for(i64 room) {
        const bool is_medium = room <= (i64)1 << 20;
        i64 &all = is_medium ? medium : large;
        if (all + room > (is_medium ? (i64)1 << 25 : (i64)1 << 23)) return false;
        all += room;
        return true;
    }
};
struct Spare {
    Buffer *first[LARGEST_SPARE - SMALLEST_SPARE + 1] = {};
    Buffer *large = nullptr;  // in no order
    ~Spare() {
        for (Buffer *b : first)
            while (b) { Buffer *next = b->next; std::free(b); b = next; }
        let_go(true);
    }
    // What is large is kept for one of the same size, or one that takes at least half of it: arrays
    // that shrink have another size each time. Before anything else gets memory, all but a few
    // megabytes is let go: so there is hardly more of it than the arrays needed at one time.
    void let_go(bool all = false) {
        Kept kept;
        for (Buffer **b = &large; *b;) {
            Buffer *const one = *b;
            if (!all && kept.has_room_for(one->room)) { b = &one->next; continue; }
            *b = one->next;
            std::free(one->memory);
            std::free(one);
        }
    }
    Buffer *kept(i64 room) {
        Buffer **best = nullptr;
        for (Buffer **b = &large; *b; b = &(*b)->next) {
            const i64 there = (*b)->room;
            if (there < room || there / 2 > room || (best && there >= (*best)->room)) continue;
            best = b;
            if (there == room) break;
        }
        if (!best) return nullptr;
        Buffer *found = *best;
        *best = found->next;
        return found;
    }
    static i64 room_for(i64 bytes) { return (bytes + 63) & ~(i64)63; }
    static int shelf(i64 bytes) {
        if (bytes <= (i64)1 << SMALLEST_SPARE) return 0;
        return 64 - __builtin_clzll((unsigned long long)bytes - 1) - SMALLEST_SPARE;
    }
};
// Memory that is used for the first time comes page by page, which takes longer than most
// loops; NumPy asks for large pages, too, for arrays of twice as many bytes.
#define LARGE_PAGES ((i64)1 << 21)
static inline void ask_for_large_pages(void *memory, i64 bytes) {
#if defined(__linux__) && defined(MADV_HUGEPAGE)
    const uintptr_t first = ((uintptr_t)memory + 4095) & ~(uintptr_t)4095;
    madvise((void *)first, (size_t)((uintptr_t)memory + bytes - first), MADV_HUGEPAGE);
#endif
}
static Buffer *new_head(void *at) {
    if (!at) throw std::bad_alloc();
    return new (at) Buffer;
}
[[gnu::noinline]] static Buffer *new_large(Spare &spare, i64 bytes) {
    const i64 room = Spare::room_for(bytes);
    if (Buffer *made = spare.kept(room)) return made;
    spare.let_go();
    Buffer *made = new_head(std::malloc(sizeof(Buffer)));
    made->memory = (char *)std::malloc((size_t)room);
    if (!made->memory) { std::free(made); throw std::bad_alloc(); }
    if (room >= LARGE_PAGES) ask_for_large_pages(made->memory, room);
    made->room = room;
    made->small = false;
    return made;
}
static inline Buffer *new_buffer(Spare &spare, i64 bytes) {
    Buffer *made;
    if (bytes <= (i64)1 << LARGEST_SPARE) {
        Buffer *&first = spare.first[Spare::shelf(bytes)];
        if (first) {
            made = first;
            first = made->next;
        } else {
            const i64 room = (i64)1 << (Spare::shelf(bytes) + SMALLEST_SPARE);
            made = new_head(std::aligned_alloc(64, (size_t)(room + HEAD)));
            made->memory = reinterpret_cast<char *>(made) + HEAD;
            made->small = true;
        }
    } else {
        made = new_large(spare, bytes);
    }
    made->refs = 0; made->bytes = bytes; made->object = nullptr; made->given = made->odd = false;
    made->spare = &spare;
    return made;
}
[[gnu::noinline]] static void release(Buffer *b) {
    if (b->given) return std::free(b);
    Buffer *&first = b->small ? b->spare->first[Spare::shelf(b->bytes)] : b->spare->large;
    b->next = first;
    first = b;
}
INLINE void drop(Buffer *b) {
    if (b && !--b->refs) release(b);
}

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

// ---- indices

static inline i64 at(i64 i, i64 n) {
    if (__builtin_expect((uint64_t)i >= (uint64_t)n, 0)) { i += n; NEED((uint64_t)i < (uint64_t)n); }
    return i;
}
struct Slice { i64 start, count; };
static inline Slice slice(i64 start, bool has_start, i64 stop, bool has_stop, i64 step, i64 n) {
    if (step > 0) {
        if (!has_start) start = 0; else if (start < 0) { start += n; if (start < 0) start = 0; } else if (start > n) start = n;
        if (!has_stop) stop = n; else if (stop < 0) { stop += n; if (stop < 0) stop = 0; } else if (stop > n) stop = n;
        return {start, start < stop ? (stop - start - 1) / step + 1 : 0};
    }
    NEED(step != 0);
    if (!has_start) start = n - 1; else if (start < 0) { start += n; if (start < 0) start = -1; } else if (start >= n) start = n - 1;
    if (!has_stop) stop = -1; else if (stop < 0) { stop += n; if (stop < 0) stop = -1; } else if (stop >= n) stop = n - 1;
    return {start, stop < start ? (start - stop - 1) / (-step) + 1 : 0};
}
static inline i64 broadcast(i64 a, i64 b) {
    if (a == b || b == 1) return a;
    NEED(a == 1);
    return b;
}

// ---- Python's integers, as long as they fit; NumPy's, as long as it does not warn

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
// As std::fmod, which goes bit by bit. The whole quotient is too large by one at most, and what is
// left over is a double in either case: so the one rounding of std::fma changes nothing.
static inline double exact_fmod(double a, double b) {
#ifdef __FP_FAST_FMA
    const double q = a / b;
    if (LIKELY(std::fabs(q) < 0x1p52 && std::fabs(b) <= std::numeric_limits<double>::max())) {
        double r = std::fma(-std::trunc(q), b, a);
        if (r != 0.0 && (r < 0) != (a < 0)) r += std::copysign(b, a);
        return std::copysign(r, a);
    }
#endif
    return std::fmod(a, b);
}
static inline double floor_mod(double a, double b) {
    NEED(b != 0.0);
    double r = exact_fmod(a, b);
    if (r != 0.0) { if ((b < 0) != (r < 0)) r += b; } else r = std::copysign(0.0, b);
    return r;
}
static inline double floor_div(double a, double b) {
    NEED(b != 0.0);
    const double r = exact_fmod(a, b);
    double q = (a - r) / b;
    if (r != 0.0 && ((b < 0) != (r < 0))) q -= 1.0;
    if (q == 0.0) return std::copysign(0.0, a / b);
    double whole = std::floor(q);
    if (q - whole > 0.5) whole += 1.0;
    return whole;
}
static inline float floor_mod(float a, float b) {
    NEED(b != 0.0f);
    float r = std::fmod(a, b);
    if (r != 0.0f) { if ((b < 0) != (r < 0)) r += b; } else r = std::copysign(0.0f, b);
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
    NEED(std::fabs(x) < 9007199254740992.0);
    return x + 0.0;
}
static inline double python_div(double a, double b) { NEED(b != 0.0); return a / b; }
// A power of a number, as Python and NumPy have it: to the last bit what pow has. The compiler
// does not see the exponent, or it would write x * x or 1 / x where pow may round another way.
static inline double number_pow(double a, double b) {
    asm("" : "+m"(b));
    return std::pow(a, b);
}
// A square. Pow rounds correctly except where the exact one is next to the middle of two doubles.
static inline double number_square(double a) {
#ifdef __FMA__
    const double c = a * a;
    if (LIKELY(c > 1e-280 && c < 1e300)) {
        const double rest = std::fma(a, a, -c);
        if (LIKELY(c + rest * 1.0625 == c)) return c;
    }
#endif
    return number_pow(a, 2.0);
}
static inline double python_pow(double a, double b) {
    NEED(!(a == 0.0 && b < 0.0) && !(a < 0.0 && b != std::floor(b)));
    const double c = number_pow(a, b);
    NEED(std::isfinite(c) || !std::isfinite(a) || !std::isfinite(b));
    return c;
}
static inline double python_square(double a) {  // raises where it is too large
    const double c = number_square(a);
    NEED(std::isfinite(c) || !std::isfinite(a));
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
    const T c = a * std::sqrt(a);
    return a == -(T)INFINITY ? (T)INFINITY : c;
}
template <class T> static inline T inverse_root(T a) {
    const T c = (T)1 / std::sqrt(a + (T)0);
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
    uint64_t root = (uint64_t)std::sqrt((double)a);
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
static inline i64 truncated(double a) { return to_int(std::trunc(a)); }
// NumPy's conversions: what does not fit is a warning, and so NumPy's.
template <class T> static inline T element(double a) {
    NEED(a > -9.2e18 && a < 9.2e18);
    const i64 whole = (i64)a;
    NEED((i64)(T)whole == whole);
    return (T)whole;
}
template <class T> static constexpr T fitting(i64 a) { NEED((i64)(T)a == a && ((T)-1 < 0 || a >= 0)); return (T)a; }

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
// As np.isclose has it, for what is finite.
static inline bool is_close(double a, double b) {
    NEED(std::isfinite(a) && std::isfinite(b));
    return std::fabs(a - b) <= 1e-8 + 1e-5 * std::fabs(b);
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
        const T one = std::copysign((T)1, a);
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
static inline double math_domain(double x, double y) { NEED(std::isfinite(y) || !std::isfinite(x)); return y; }
static inline double np_heaviside(double x, double h) { return x != x ? x : x == 0.0 ? h : lt(x, 0.0) ? 0.0 : 1.0; }
static inline double logaddexp(double x, double y) {
    if (x == y) return x + 0.693147180559945309417232121458176568;
    const double d = x - y;
    return d > 0 ? x + std::log1p(std::exp(-d)) : d <= 0 ? y + std::log1p(std::exp(d)) : d;
}

// ---- products

// out = a @ b for one row a
template <class T, class U, class V>
static inline void add_product(const U *a, i64 sa, i64 n, const View<V, 2> &b, T *out) {
    const i64 m = b.n[1], s = b.s[1];
    for (i64 j = 0; j < m; j++) out[j] = 0;
    for (i64 k = 0; k < n; k++) {
        const T x = (T)a[k * sa];
        const V *row = b.p + k * b.s[0];
        if (s == 1) {
#pragma GCC ivdep
            for (i64 j = 0; j < m; j++) out[j] = out[j] + x * (T)row[j];
        } else {
            for (i64 j = 0; j < m; j++) out[j] = out[j] + x * (T)row[j * s];
        }
    }
}

// ---- what a run needs to know

// Small memory of a run that is over stays for the next one: malloc takes longer for aligned memory
// than a small function runs. Who has the interpreter's lock takes all, so no two runs share any.
#define KEPT_SHELVES 7  // up to 4096 bytes
#define KEPT_EACH 4
static Buffer *kept_[KEPT_SHELVES];
// So does large memory. All native code of a process has the same few megabytes, for the dynamic
// linker takes such a variable once.
inline __attribute__((visibility("default"))) Buffer *npcompile_kept_large = nullptr;
static void take_kept(Spare &spare) {
    for (int k = 0; k < KEPT_SHELVES; k++) { spare.first[k] = kept_[k]; kept_[k] = nullptr; }
    spare.large = npcompile_kept_large;
    npcompile_kept_large = nullptr;
}
static void keep_large(Spare &spare) {
    Kept kept;
    for (Buffer *b = npcompile_kept_large; b; b = b->next) kept.has_room_for(b->room);
    for (Buffer **b = &spare.large; *b;) {
        Buffer *const one = *b;
        if (!kept.has_room_for(one->room)) { b = &one->next; continue; }
        *b = one->next;
        one->next = npcompile_kept_large;
        npcompile_kept_large = one;
    }
}
static void keep(Spare &spare) {
    if (spare.large) keep_large(spare);
    for (int k = 0; k < KEPT_SHELVES; k++) {
        if (kept_[k]) continue;  // another run was faster
        Buffer **last = &spare.first[k];
        for (int count = 0; *last && count < KEPT_EACH; count++) last = &(*last)->next;
        kept_[k] = spare.first[k];
        spare.first[k] = *last;
        *last = nullptr;
    }
}

struct Crew;
static void dismiss(Crew *);
struct Run {
    i64 grant;  // how often the loop goes on before it looks at the clock
    bool enough;  // it has run for so long that Python should have a turn
    bool odd;  // something was made of an array that is not in C's order
    double began, looked, asked;
    PyThreadState *released;
    int flags;  // floating-point flags from before NumPy was called
    int ignored;  // those that do not matter now
    Spare spare;
    std::vector<std::pair<PyObject *, PyObject *>> streams;  // of bits, and where they were
    std::vector<PyObject *> made;  // generators of this run's
    std::vector<PyObject *> texts;  // what has to be printed, if this run counts
    PyObject *legacy, *legacy_state;  // the generator behind np.random.rand, and where it was
    Crew *crew;  // its threads, once it has some
    ~Run() {
        if (crew) dismiss(crew);
        keep(spare);
        for (const auto &[bits, state] : streams) { Py_DECREF(bits); Py_DECREF(state); }
        for (PyObject *generator : made) Py_DECREF(generator);
        for (PyObject *text : texts) Py_DECREF(text);
        Py_XDECREF(legacy_state);
    }
};
static bool leave(const Run &run, PyObject *list) {
    for (PyObject *text : run.texts) if (PyList_Append(list, text) < 0) return false;
    return true;
}
static inline double now() {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}
static inline void back(Run &run) {
    if (run.released) { PyEval_RestoreThread(run.released); run.released = nullptr; }
}
// Flags that matter: to clear them takes longer than a small loop.
static inline void clear_flags() {
    if (std::fetestexcept(FE_DIVBYZERO | FE_OVERFLOW | FE_UNDERFLOW | FE_INVALID)) std::feclearexcept(FE_ALL_EXCEPT);
}
// How often a loop goes on before it looks for the first time. (A compiler that sees that it looks
// at once takes all that follows for something that hardly ever runs.)
[[gnu::noinline]] static i64 start(Run &run) {
    take_kept(run.spare);
    return run.grant = 4;
}
// Now and then: let other threads run, and see whether somebody wants this to stop.
// The count until then is a variable of the loop: in memory it would hold up short iterations.
// And it throws nothing: no register would keep a value across a call that may be caught here.
[[gnu::cold, gnu::noinline]] static i64 look(Run &run) noexcept {
    const double time = now();
    if (!run.began) {  // short runs never look at the clock
        run.began = run.looked = run.asked = time;
        return run.grant;
    }
    const double passed = time - run.looked;
    const double wanted = run.grant * (passed > 1e-9 ? 2e-3 / passed : 1e6);
    run.grant = wanted < 1 ? 1 : wanted > 1e6 ? (i64)1e6 : wanted > 16.0 * run.grant ? 16 * run.grant : (i64)wanted;
    run.looked = time;
    if (time - run.began > 1.0) run.enough = true;
    // Another thread may draw from the same stream of bits: it has its turns, but only those.
    const bool shares = run.streams.empty() && !run.legacy;
    if (shares && !run.released && time - run.began > 1e-3) run.released = PyEval_SaveThread();
    if (time - run.asked < 0.05) return run.grant;
    run.asked = time;
    back(run);
    const int stopped = PyErr_CheckSignals();
    if (stopped) return -1;
    run.released = PyEval_SaveThread();
    if (!shares) back(run);
    return run.grant;
}
[[noreturn, gnu::cold, gnu::noinline]] static void interrupted() { throw Interrupted(); }
#define LOOK(run) do { \
        if (__builtin_expect(--fuel_ < 0, 0) && __builtin_expect((fuel_ = look(run)) < 0, 0)) interrupted(); \
    } while (0)

// ---- arguments and results

struct Given {  // an array of Python's, for the time of a run
    PyArrayObject *object;
    PyArrayObject *copy;  // what was in it, where the loop writes into it
    bool writes;
    void *bytes;  // the same of a small one, which needs no ndarray
};
#define SMALL_COPY 4096
#define MOST_BYTES ((npy_intp)256 << 20)
static bool keep_copies(Given *given, int count) {
    npy_intp total = 0;
    for (int k = 0; k < count; k++) if (given[k].writes) total += PyArray_NBYTES(given[k].object);
    if (total > MOST_BYTES) return false;
    for (int k = 0; k < count; k++) {
        if (!given[k].writes) continue;
        PyArrayObject *a = given[k].object;
        if (PyArray_ISONESEGMENT(a) && PyArray_NBYTES(a) <= SMALL_COPY) {
            given[k].bytes = std::malloc(SMALL_COPY);
            if (!given[k].bytes) return false;
            std::memcpy(given[k].bytes, PyArray_DATA(a), (size_t)PyArray_NBYTES(a));
            continue;
        }
        given[k].copy = (PyArrayObject *)PyArray_NewCopy(a, NPY_KEEPORDER);
        if (!given[k].copy) { PyErr_Clear(); return false; }
    }
    return true;
}
static void forget(Given *given, int count) {
    for (int k = 0; k < count; k++) {
        Py_CLEAR(given[k].copy);
        std::free(given[k].bytes);
        given[k].bytes = nullptr;
    }
}
// Everything is as it was before the run.
static void restore(Run &run, Given *given, int count) {
    back(run);
    PyObject *type, *value, *trace;
    PyErr_Fetch(&type, &value, &trace);
    for (int k = 0; k < count; k++) {
        PyArrayObject *a = given[k].object;
        if (given[k].copy) PyArray_CopyInto(a, given[k].copy);
        if (given[k].bytes) std::memcpy(PyArray_DATA(a), given[k].bytes, (size_t)PyArray_NBYTES(a));
    }
    for (const auto &[bits, state] : run.streams) PyObject_SetAttrString(bits, "state", state);
    if (run.legacy) Py_XDECREF(PyObject_CallMethod(run.legacy, "set_state", "O", run.legacy_state));
    forget(given, count);
    PyErr_Restore(type, value, trace);
}
static PyObject *refuse(Given *given, int count, i64 at) {
    forget(given, count);
    return Py_BuildValue("(iL)", 3, (long long)at);
}
// Whether NumPy would say something about these floating-point flags.
static bool matters(int flags) {
    flags &= FE_DIVBYZERO | FE_OVERFLOW | FE_UNDERFLOW | FE_INVALID;
    if (!flags) return false;
    PyObject *numpy = PyImport_ImportModule("numpy");
    PyObject *state = numpy ? PyObject_CallMethod(numpy, "geterr", nullptr) : nullptr;
    Py_XDECREF(numpy);
    if (!state) return true;
    const struct { int flag; const char *name; } all[] = {
        {FE_DIVBYZERO, "divide"}, {FE_OVERFLOW, "over"}, {FE_UNDERFLOW, "under"}, {FE_INVALID, "invalid"}};
    bool found = false;
    for (const auto &one : all) {
        if (!(flags & one.flag)) continue;
        PyObject *mode = PyDict_GetItemString(state, one.name);
        found = found || !mode || PyUnicode_CompareWithASCIIString(mode, "ignore") != 0;
    }
    Py_DECREF(state);
    return found;
}
static PyObject *answer(int status, i64 at, PyObject **made, int count) {
    PyObject *all = PyTuple_New(count + 2);
    PyObject *first = PyLong_FromLong(status), *second = PyLong_FromLongLong(at);
    if (!all || !first || !second) {
        Py_XDECREF(all); Py_XDECREF(first); Py_XDECREF(second);
        for (int k = 0; k < count; k++) Py_DECREF(made[k]);
        return nullptr;
    }
    PyTuple_SET_ITEM(all, 0, first);
    PyTuple_SET_ITEM(all, 1, second);
    for (int k = 0; k < count; k++) PyTuple_SET_ITEM(all, k + 2, made[k]);
    return all;
}
static PyObject *make_tuple(std::initializer_list<PyObject *> parts) {
    PyObject *made = PyTuple_New((Py_ssize_t)parts.size());
    Py_ssize_t k = 0;
    bool good = made != nullptr;
    for (PyObject *part : parts) good = good && part;
    for (PyObject *part : parts) { if (good) PyTuple_SET_ITEM(made, k++, part); else Py_XDECREF(part); }
    if (!good) Py_CLEAR(made);
    return made;
}
#define ENTRY(function) \
    static PyMethodDef method_ = {"run", (PyCFunction)(void (*)(void))function, METH_FASTCALL, nullptr}; \
    static void *import_numpy_() { import_array(); return (void *)1; } \
    extern "C" __attribute__((visibility("default"))) PyObject *npcompile_loop() { \
        if (!import_numpy_()) return nullptr; \
        return PyCFunction_New(&method_, nullptr); \
    }

// The compiler takes a return for likely, and after some of them what follows for something that
// hardly ever runs, for which it keeps no registers.
#define FITS(condition) do { if (!LIKELY(condition)) return false; } while (0)
INLINE bool is_plain(PyObject *o, int type, int ndim) {
    FITS(PyArray_CheckExact(o));
    PyArrayObject *a = (PyArrayObject *)o;
    FITS(PyArray_TYPE(a) == type && PyArray_NDIM(a) == ndim);
    FITS(PyArray_ISNOTSWAPPED(a) && PyArray_ISALIGNED(a));
    return true;
}
template <class T, int N> INLINE bool take(PyObject *o, int type, bool unit, bool written, Array<T, N> &v) {
    FITS(is_plain(o, type, N));
    PyArrayObject *a = (PyArrayObject *)o;
    v.p = (T *)PyArray_DATA(a);
    v.b = nullptr;
    for (int d = 0; d < N; d++) {
        v.n[d] = PyArray_DIM(a, d);
        const i64 step = PyArray_STRIDE(a, d);
        FITS(step % (i64)sizeof(T) == 0);
        v.s[d] = step / (i64)sizeof(T);
    }
    FITS(!unit || v.n[N - 1] <= 1 || v.s[N - 1] == 1);
    if (unit) v.s[N - 1] = 1;
    FITS(!written || (PyArray_ISWRITEABLE(a) && apart(v)));
    return true;
}
INLINE bool take_int(PyObject *o, i64 &v, int bits) {
    FITS(PyLong_CheckExact(o));
    int overflow;
    v = PyLong_AsLongLongAndOverflow(o, &overflow);
    FITS(!overflow);
    FITS(bits >= 63 || (v < (i64)1 << bits && v > -((i64)1 << bits)));
    return true;
}
INLINE bool take_float(PyObject *o, double &v) {
    FITS(PyFloat_CheckExact(o));
    v = PyFloat_AS_DOUBLE(o);
    return true;
}
INLINE bool take_bool(PyObject *o, bool &v) {
    FITS(PyBool_Check(o));
    v = o == Py_True;
    return true;
}
INLINE bool take_complex(PyObject *o, Complex &v) {
    FITS(PyComplex_CheckExact(o));
    v = Complex(PyComplex_RealAsDouble(o), PyComplex_ImagAsDouble(o));
    return true;
}
// Variables of loops are handed over by value wherever a function is not written into its caller:
// one whose address is known elsewhere would be stored and read in each iteration.
template <class T> INLINE bool take_scalar(PyObject *o, PyTypeObject *type, T &v) {
    FITS(Py_TYPE(o) == type);
    T held;
    PyArray_ScalarAsCtype(o, &held);
    v = held;
    return true;
}
// A number that may be Python's or NumPy's, and which it is: see make_float.
INLINE bool take_bool(PyObject *o, bool &v, int &tag) {
    tag = 0;
    if (take_bool(o, v)) return true;
    bool8 w;
    tag = 1;
    FITS(take_scalar(o, &PyBoolArrType_Type, w));
    v = w;
    return true;
}
INLINE bool take_int(PyObject *o, i64 &v, int bits, int &tag) {
    tag = 0;
    if (take_int(o, v, bits)) return true;
    tag = 1;
    FITS(take_scalar(o, &PyInt64ArrType_Type, v));
    FITS(bits >= 63 || (v < (i64)1 << bits && v > -((i64)1 << bits)));
    return true;
}
template <class T> INLINE bool take_narrow(PyObject *o, PyTypeObject *type, T &v, int &tag) {
    i64 whole;
    tag = 0;
    if (take_int(o, whole, 63)) {
        v = (T)whole;
        FITS(v == whole);
        return true;
    }
    tag = 1;
    return take_scalar(o, type, v);
}
INLINE bool take_float(PyObject *o, double &v, int allowed, int &tag) {
    tag = 0;
    if ((allowed & 1) && take_float(o, v)) return true;
    tag = 1;
    if ((allowed & 2) && take_scalar(o, &PyDoubleArrType_Type, v)) return true;
    i64 whole;
    tag = 2;
    FITS((allowed & 4) && take_int(o, whole, 53));
    v = (double)whole;
    return true;
}
template <class T> static inline PyObject *make_scalar(int type, T value) {
    PyArray_Descr *descr = PyArray_DescrFromType(type);
    PyObject *made = PyArray_Scalar(&value, descr, nullptr);
    Py_DECREF(descr);
    return made;
}
static inline PyObject *make_float(double v, int tag) {
    if (tag == 0) return PyFloat_FromDouble(v);
    if (tag == 2) return PyLong_FromDouble(v);
    return make_scalar(NPY_DOUBLE, v);
}
static inline PyObject *make_int(i64 v, int tag) {
    return tag == 1 ? make_scalar(NPY_INT64, v) : PyLong_FromLongLong(v);
}
template <class T> static inline PyObject *make_narrow(int type, T v, int tag) {
    return tag == 1 ? make_scalar(type, v) : PyLong_FromLongLong(v);
}
static inline PyObject *make_bool(bool v, int tag) {
    bool8 w = v;
    return tag == 1 ? make_scalar(NPY_BOOL, w) : PyBool_FromLong(v);
}

struct Results {  // what has been made of views, so that one view is one object
    const Given *given;
    int count;
    std::vector<std::pair<i64, PyObject *>> views;
    std::vector<std::pair<const void *, PyObject *>> lists;
    bool odd, refused;
};
// An argument whose memory holds all of a view.
template <class T, int N> static PyObject *holder(const View<T, N> &v, const Results &results) {
    const char *low, *high;
    span(v, low, high);
    for (int k = 0; k < results.count; k++) {
        PyArrayObject *a = results.given[k].object;
        npy_intp from = 0, to = PyArray_ITEMSIZE(a);
        for (int d = 0; d < PyArray_NDIM(a); d++) {
            const npy_intp reach = (PyArray_DIM(a, d) - 1) * PyArray_STRIDE(a, d);
            if (reach < 0) from += reach; else to += reach;
        }
        if (PyArray_BYTES(a) + from <= low && high <= PyArray_BYTES(a) + to) return (PyObject *)a;
    }
    PyErr_SetString(PyExc_RuntimeError, "an array of a loop lies nowhere");
    return nullptr;
}
// An ndarray that gets the memory of a large buffer, and frees it as it does its own; null with no
// error where NumPy's memory is not of malloc.
static PyObject *handed_over(Buffer *b, const npy_intp *dims) {
    PyObject *handler = PyDataMem_GetHandler();
    if (handler != PyDataMem_DefaultHandler) { Py_XDECREF(handler); return nullptr; }
    PyObject *array = PyArray_NewFromDescr(&PyArray_Type, PyArray_DescrFromType(b->type), b->ndim,
        dims, nullptr, b->memory, NPY_ARRAY_CARRAY, nullptr);
    if (!array) { Py_DECREF(handler); return nullptr; }
    reinterpret_cast<PyArrayObject_fields *>(array)->mem_handler = handler;
    PyArray_ENABLEFLAGS((PyArrayObject *)array, NPY_ARRAY_OWNDATA);
    b->given = true;
    return array;
}
// The ndarray that has all of a buffer: a new reference.
static PyObject *owner(Buffer *b, Results &results) {
    if (b->object) return Py_NewRef(b->object);
    npy_intp dims[MOST_DIMENSIONS], count = 1;
    int wide = 0;
    for (int d = 0; d < b->ndim; d++) { count *= dims[d] = b->n[d]; wide += b->n[d] > 1; }
    if ((results.odd || b->odd) && wide > 1) { results.refused = true; return nullptr; }
    PyArray_Descr *descr = PyArray_DescrFromType(b->type);
    const bool whole = count * PyDataType_ELSIZE(descr) == b->bytes;
    Py_DECREF(descr);
    // An array of NumPy's does not keep much more memory than it needs.
    const bool good = !b->small && whole && b->room - b->bytes <= b->bytes / 8;
    PyObject *array = good ? handed_over(b, dims) : nullptr;
    if (!array) {
        if (PyErr_Occurred()) return nullptr;
        array = PyArray_SimpleNew(b->ndim, dims, b->type);
        if (!array) return nullptr;
        std::memcpy(PyArray_DATA((PyArrayObject *)array), b->data(), (size_t)PyArray_NBYTES((PyArrayObject *)array));
    }
    b->object = array;  // borrowed: the results keep it
    return array;
}
template <class T> static PyObject *make_0d(T v, int type) {
    PyObject *made = PyArray_EMPTY(0, nullptr, type, 0);
    if (made) std::memcpy(PyArray_DATA((PyArrayObject *)made), &v, sizeof v);
    return made;
}
// An ndarray for an array of the loop: an argument itself, a view, or memory of its own.
template <class T, int N> static PyObject *make_array(const View<T, N> v, int type, Results &results) {
    if (v.id < 0) return Py_NewRef((PyObject *)results.given[-v.id - 1].object);
    if (v.id == 0) return owner(v.b, results);
    for (const auto &[id, object] : results.views) if (id == v.id) return Py_NewRef(object);
    npy_intp dims[N], strides[N];
    for (int d = 0; d < N; d++) { dims[d] = v.n[d]; strides[d] = v.s[d] * (npy_intp)sizeof(T); }
    PyObject *base = v.b ? owner(v.b, results) : Py_XNewRef(holder(v, results));
    if (!base) return nullptr;
    char *data = v.b ? PyArray_BYTES((PyArrayObject *)base) + ((char *)v.p - v.b->data()) : (char *)v.p;
    PyObject *view = PyArray_NewFromDescr(&PyArray_Type, PyArray_DescrFromType(type), N, dims, strides,
        data, PyArray_ISWRITEABLE((PyArrayObject *)base) ? NPY_ARRAY_WRITEABLE : 0, nullptr);
    if (!view) { Py_DECREF(base); return nullptr; }
    if (PyArray_SetBaseObject((PyArrayObject *)view, base) < 0) { Py_DECREF(view); return nullptr; }
    results.views.push_back({v.id, view});
    return view;
}

template <class T, i64... LENGTHS> static PyObject *make_small(const Small<T, LENGTHS...> a, int type) {
    npy_intp dims[] = {LENGTHS...};
    PyObject *array = PyArray_SimpleNew(sizeof...(LENGTHS), dims, type);
    if (array) std::memcpy(PyArray_DATA((PyArrayObject *)array), a.p, sizeof(a.p));
    return array;
}

// A view that nobody may write into.
static PyObject *locked(PyObject *view) {
    if (view) PyArray_CLEARFLAGS((PyArrayObject *)view, NPY_ARRAY_WRITEABLE);
    return view;
}
// Whether two names have the same array: arguments may be one object, too.
template <class A, class B> static inline bool is_same(const A &a, const B &b, const Given *given) {
    if (a.id < 0 && b.id < 0) return given[-a.id - 1].object == given[-b.id - 1].object;
    return a.id == b.id && (a.id || a.b == b.b);
}

// ---- random numbers: NumPy's own generators and distributions

struct Source { PyObject *object; bitgen_t *bits; };
extern "C" {
double random_standard_normal(bitgen_t *);
double random_standard_exponential(bitgen_t *);
uint64_t random_bounded_uint64(bitgen_t *, uint64_t off, uint64_t range, uint64_t mask, bool masked);
void random_bounded_uint64_fill(bitgen_t *, uint64_t off, uint64_t range, npy_intp count, bool masked, uint64_t *to);
}
static bool find_bits(PyObject *bits, Source &v) {
    PyObject *capsule = bits ? PyObject_GetAttrString(bits, "capsule") : nullptr;
    v.bits = capsule ? (bitgen_t *)PyCapsule_GetPointer(capsule, "BitGenerator") : nullptr;
    Py_XDECREF(capsule);  // the stream of bits keeps it
    PyErr_Clear();
    return v.bits;
}
// A generator; where its stream of bits is now is kept for the time of the run.
static bool take_source(PyObject *o, Source &v, Run &run) {
    if (std::strcmp(Py_TYPE(o)->tp_name, "numpy.random._generator.Generator")) return false;
    PyObject *bits = PyObject_GetAttrString(o, "bit_generator");
    PyObject *state = bits ? PyObject_GetAttrString(bits, "state") : nullptr;
    v.object = o;
    if (state && find_bits(bits, v)) { run.streams.push_back({bits, state}); return true; }
    Py_XDECREF(bits);
    Py_XDECREF(state);
    PyErr_Clear();
    return false;
}
// The generator behind np.random.rand.
static bool take_legacy(PyObject *o, Source &v, Run &run) {
    PyObject *bits = PyObject_GetAttrString(o, "_bit_generator");
    PyObject *state = PyObject_CallMethod(o, "get_state", "O", Py_False);
    v.object = o;
    const bool good = state && find_bits(bits, v);
    Py_XDECREF(bits);  // the generator keeps it
    PyErr_Clear();
    if (!good) { Py_XDECREF(state); return false; }
    run.legacy = o;
    run.legacy_state = state;
    return true;
}
// One that is made in the run, and that nobody else knows.
static Source new_source(Run &run, PyObject *o) {
    run.made.push_back(o);
    Source v = {o, nullptr};
    PyObject *bits = PyObject_GetAttrString(o, "bit_generator");
    const bool good = find_bits(bits, v);
    Py_XDECREF(bits);  // the generator keeps it
    NEED(good);
    return v;
}
static inline double random_double(const Source &s) { return s.bits->next_double(s.bits->state); }
static inline double random_standard_exponential(const Source &s) {
    return random_standard_exponential(s.bits);
}
static inline double random_between(const Source &s, double low, double high) {
    const double range = high - low;
    NEED(std::isfinite(range) && range >= 0);
    return low + range * random_double(s);
}
static inline double random_wait(const Source &s, double scale) {
    NEED(!std::signbit(scale) && scale == scale);
    return scale * random_standard_exponential(s.bits);
}
// Which one of some is drawn, by their shares of one: as `Generator.choice` does it.
static std::vector<double> shares_of_one(const View<double, 1> &p) {
    std::vector<double> running((size_t)p.n[0]);
    double sum = 0, lost = 0, total = 0;
    for (i64 k = 0; k < p.n[0]; k++) {
        const double x = p.p[k * p.s[0]], y = x - lost, t = sum + y;
        lost = t - sum - y;
        sum = t;
        NEED(x >= 0);
        running[k] = total = k ? total + x : x;
    }
    NEED(p.n[0] > 0 && std::fabs(sum - 1.0) <= 1e-8);
    for (double &x : running) x /= total;
    return running;
}
static inline i64 random_share(const Source &s, const std::vector<double> &running) {
    return std::upper_bound(running.begin(), running.end(), random_double(s)) - running.begin();
}
static inline i64 random_integer_of_legacy(const Source &s, i64 low, i64 high) {
    NEED(high > low);
    uint64_t mask = (uint64_t)(high - 1 - low);
    for (int k = 1; k < 64; k *= 2) mask |= mask >> k;
    return (i64)random_bounded_uint64(s.bits, (uint64_t)low, (uint64_t)(high - 1 - low), mask, true);
}
static inline i64 random_integer(const Source &s, i64 low, i64 high) {
    NEED(high > low);
    return (i64)random_bounded_uint64(s.bits, (uint64_t)low, (uint64_t)(high - 1 - low), 0, false);
}
static inline void fill_random_integer(const Source &s, i64 low, i64 high, i64 *to, i64 count) {
    NEED(high > low);
    random_bounded_uint64_fill(s.bits, (uint64_t)low, (uint64_t)(high - 1 - low), count, false, (uint64_t *)to);
}
static inline void fill_random_integer_of_legacy(const Source &s, i64 low, i64 high, i64 *to, i64 count) {
    NEED(high > low);
    random_bounded_uint64_fill(s.bits, (uint64_t)low, (uint64_t)(high - 1 - low), count, true, (uint64_t *)to);
}

// ---- calls of NumPy

template <class T, int N> static PyObject *lend(const View<T, N> v, int type, bool writeable) {
    npy_intp dims[N], strides[N];
    for (int d = 0; d < N; d++) { dims[d] = v.n[d]; strides[d] = v.s[d] * (npy_intp)sizeof(T); }
    return PyArray_NewFromDescr(&PyArray_Type, PyArray_DescrFromType(type), N, dims, strides,
        (void *)v.p, writeable ? NPY_ARRAY_WRITEABLE : 0, nullptr);
}
static bool holds_any(PyObject *result, std::initializer_list<PyObject *> parts) {
    if (PyTuple_Check(result)) {
        for (Py_ssize_t k = 0; k < PyTuple_GET_SIZE(result); k++)
            if (holds_any(PyTuple_GET_ITEM(result, k), parts)) return true;
        return false;
    }
    if (!PyArray_Check(result)) return false;
    PyObject *base = PyArray_BASE((PyArrayObject *)result);
    for (PyObject *part : parts) if (part == result || part == base) return true;
    return false;
}
// What NumPy raises or warns of is found again when Python runs the loop.
static PyObject *call_numpy(Run &run, PyObject *function, std::initializer_list<PyObject *> parts) {
    run.flags |= std::fetestexcept(FE_ALL_EXCEPT) & ~run.ignored;
    run.spare.let_go();
    PyObject *result = nullptr;
    bool good = true;
    for (PyObject *part : parts) good = good && part;
    if (good) result = PyObject_Vectorcall(function, parts.begin(), parts.size(), nullptr);
    // An argument, or a view of one: the copy that we take would be another array.
    if (result && holds_any(result, parts)) { Py_CLEAR(result); good = false; }
    for (PyObject *part : parts) Py_XDECREF(part);
    clear_flags();
    if (!result) {
        if (PyErr_ExceptionMatches(PyExc_KeyboardInterrupt)) throw Interrupted();
        PyErr_Clear();
        bail();
    }
    return result;
}
template <class T, int N> static Array<T, N> received(Run &run, PyObject *result, int type, bool is_view) {
    Array<T, N> made;
    View<T, N> v;
    Array<T, N> from;
    const bool good = take<T, N>(result, type, false, false, from)
        && (PyArray_BASE((PyArrayObject *)result) != nullptr) == is_view;
    if (good) {
        i64 dims[N];
        for (int d = 0; d < N; d++) dims[d] = from.n[d];
        made = fresh<T, N>(run.spare, dims, type);
        made.b->odd = is_odd(from);
        PyObject *to = lend(made, type, true);
        const bool copied = to && PyArray_CopyInto((PyArrayObject *)to, (PyArrayObject *)result) == 0;
        Py_XDECREF(to);
        if (!copied) { PyErr_Clear(); Py_DECREF(result); bail(); }
    }
    Py_DECREF(result);
    NEED(good);
    return made;
}
struct Held {
    PyObject *o;
    ~Held() { Py_XDECREF(o); }
};
static inline double received_float(PyObject *result) {
    double v = 0;
    const bool good = take_float(result, v);
    Py_DECREF(result);
    NEED(good);
    return v;
}
static inline i64 received_int(PyObject *result) {
    i64 v = 0;
    const bool good = take_int(result, v, 63);
    Py_DECREF(result);
    NEED(good);
    return v;
}
static inline bool received_bool(PyObject *result) {
    bool v = false;
    const bool good = take_bool(result, v);
    Py_DECREF(result);
    NEED(good);
    return v;
}
template <class T> static T received_number(PyObject *result, PyTypeObject *type) {
    T v{};
    const bool good = take_scalar(result, type, v);
    Py_DECREF(result);
    NEED(good);
    return v;
}
