// Arguments and results
#pragma once
#include "arrays.hpp"
#include "complex.hpp"
#include "runs.hpp"

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
            given[k].bytes = malloc(SMALL_COPY);
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
        free(given[k].bytes);
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
