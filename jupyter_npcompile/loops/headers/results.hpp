// What a run gives back: numbers and arrays as objects of Python.
#pragma once
#include "arguments.hpp"
#include "piles.hpp"

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

template <class T> struct Known { T it; PyObject *object; };
struct Results {  // what has been made of views, so that one view is one object
    const Given *given;
    int count;
    Pile<Known<i64>> views;
    Pile<Known<const void *>> lists;
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
    results.views.push({v.id, view});
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

