// Calls of NumPy
#pragma once
#include "arguments.hpp"

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
    run.flags |= fetestexcept(FE_ALL_EXCEPT) & ~run.ignored;
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

