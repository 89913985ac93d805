// np.fft: the loops of NumPy's own ufuncs, without the way through Python
#pragma once
#include "choices.hpp"
#include "library/running.hpp"
#include <numpy/ufuncobject.h>

#define TRANSFORM_ALONE ((i64)1 << 15)  // elements of a transform in which other threads have their turn
static inline double transform_factor(i64 n, int norm) {
    // One, or the inverse of the length, or of its root.
    return norm == 0 ? 1.0 : norm == 1 ? 1.0 / (double)n : 1.0 / math::sqrt((double)n);
}
// Elements of a column whose distance is a multiple of this push each other out of the cache: so
// some columns, whose elements share its lines, are copied and transformed together.
#define FAR 2048
#define TRANSFORMED_TOGETHER 8
template <class T> static void gather(const View<T, 2> &rows, i64 begin, i64 count, T *to) {
    const i64 n = rows.n[1];
    for (i64 i = 0; i < n; i++) {
        const T *from = rows.p + begin * rows.s[0] + i * rows.s[1];
        for (i64 k = 0; k < count; k++) to[k * n + i] = from[k * rows.s[0]];
    }
}
template <class T> static void scatter(const T *from, i64 begin, i64 count, const View<T, 2> &rows) {
    const i64 n = rows.n[1];
    for (i64 i = 0; i < n; i++) {
        T *to = rows.p + begin * rows.s[0] + i * rows.s[1];
        for (i64 k = 0; k < count; k++) to[k * rows.s[0]] = from[k * n + i];
    }
}
template <class T> static inline int type_number() { return std::is_same<T, double>::value ? NPY_DOUBLE : NPY_CDOUBLE; }
// The first loop of a ufunc, which is for double precision, on rows whose elements lie anywhere.
struct Transform {
    const PyUFuncObject *ufunc;
    double factor;
    template <class T, class U>
    void rows(const T *from, i64 m, i64 row, i64 step, U *to, i64 n, i64 other_row, i64 other_step, i64 count) {
        const npy_intp sizes[3] = {(npy_intp)count, (npy_intp)m, (npy_intp)n};
        const npy_intp steps[5] = {(npy_intp)(row * sizeof(T)), 0, (npy_intp)(other_row * sizeof(U)),
            (npy_intp)(step * sizeof(T)), (npy_intp)(other_step * sizeof(U))};
        char *pointers[3] = {(char *)from, (char *)&factor, (char *)to};
        ufunc->functions[0](pointers, sizes, steps, ufunc->data ? ufunc->data[0] : nullptr);
    }
    template <class T, class U> void operator()(Run &run, const View<T, 2> &a, const View<U, 2> &to) {
        const i64 m = a.n[1], n = to.n[1], count = a.n[0];
        const bool is_far = a.s[1] * (i64)sizeof(T) % FAR == 0 && to.s[1] * (i64)sizeof(U) % FAR == 0;
        if (!is_far || count < TRANSFORMED_TOGETHER) return rows(a.p, m, a.s[0], a.s[1], to.p, n, to.s[0], to.s[1], count);
        const i64 ins[2] = {TRANSFORMED_TOGETHER, m}, outs[2] = {TRANSFORMED_TOGETHER, n};
        Array<T, 2> in = fresh<T, 2>(run.spare, ins, type_number<T>());
        Array<U, 2> out = fresh<U, 2>(run.spare, outs, type_number<U>());
        for (i64 k = 0; k < count; k += TRANSFORMED_TOGETHER) {
            const i64 now = math::min<i64>(TRANSFORMED_TOGETHER, count - k);
            gather(a, k, now, in.p);
            rows(in.p, m, m, 1, out.p, n, n, 1, now);
            scatter(out.p, k, now, to);
        }
    }
};
// One row after the other is transformed; `n` is the length of those that come out.
template <class U, class T, int N>
static Array<U, N> transform(Run &run, PyObject *object, const View<T, N> &a, int axis, i64 n, double factor) {
    NEED(a.size() > 0 && n > 0);
    Transform work = {(const PyUFuncObject *)object, factor};
    i64 dims[N], rest = 1;
    int across = -1;  // the dimension that is gone through inside
    for (int d = N - 1; d >= 0; d--) {
        dims[d] = d == axis ? n : a.n[d];
        if (d != axis && across < 0) across = d;
        else if (d != axis) rest *= a.n[d];
    }
    Array<U, N> made = fresh<U, N>(run.spare, dims, type_number<U>());
    // It asks for Python's lock where there is no memory: what it raises then is seen here.
    const bool alone = a.size() >= TRANSFORM_ALONE && run.streams.empty() && !run.legacy;
    if (!alone) back(run);
    else if (!run.released) run.released = PyEval_SaveThread();
    View<T, 2> from = {a.p, {across < 0 ? 1 : a.n[across], a.n[axis]}, {across < 0 ? 1 : a.s[across], a.s[axis]}};
    View<U, 2> to = {made.p, {from.n[0], n}, {across < 0 ? 1 : made.s[across], made.s[axis]}};
    for (i64 k = 0; k < rest; k++) {
        i64 place = k;
        from.p = a.p;
        to.p = made.p;
        for (int d = N - 1; d >= 0; d--) {
            if (d == axis || d == across) continue;
            from.p += place % a.n[d] * a.s[d];
            to.p += place % a.n[d] * made.s[d];
            place /= a.n[d];
        }
        work(run, from, to);
    }
    back(run);
    if (PyErr_Occurred()) { PyErr_Clear(); bail(); }
    return made;
}
