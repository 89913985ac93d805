/* Calls native pieces on ndarrays: checks the arguments, allocates the results,
 * runs the piece without the interpreter's lock, and hands the results back. */
#define PY_SSIZE_T_CLEAN
#define NPY_NO_DEPRECATED_API NPY_2_0_API_VERSION
#define NPY_TARGET_VERSION NPY_2_0_API_VERSION
#include <Python.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <numpy/arrayobject.h>
#include <numpy/arrayscalars.h>
#include <numpy/ufuncobject.h>

#define MAX_NDIM NPY_MAXDIMS
#define SLOT 16
#define MAX_SIZES 32
#define MAX_NUMBERS 256

enum { ARRAY = 0, SCALAR = 1, PYTHON = 2 };

typedef struct {
    int kind;
    int type;          /* NumPy's type number */
    int ndim;
    int order;         /* outputs: 0 C, 1 Fortran, 2 these strides */
    int writeable;     /* inputs: 0 or 1, or -1 where it does not matter */
    npy_intp low, high; /* what it spans, in bytes from its first element */
    npy_intp *dims;
    npy_intp *strides;
    PyArray_Descr *descr;
} Value;

typedef int (*Entry)(char **inputs, char **outputs, char *scratch, const int64_t *sizes);

/* Shapes and strides for given sizes: bytes of temporary memory, -1 where the code does not hold. */
typedef int64_t (*Layout)(const int64_t *sizes, int64_t *numbers);

typedef struct {
    int size;              /* which of the sizes */
    int input;             /* which input it is */
} Free;

typedef struct {
    PyObject_HEAD
    vectorcallfunc vectorcall;
    Entry entry;
    Py_ssize_t n_inputs, n_constants, n_outputs, n_checks;
    Value *inputs, *outputs;
    PyObject *constants;   /* tuple of arrays */
    PyObject *library;     /* keeps the code loaded */
    size_t scratch;
    PyObject *sizes;       /* bytes: the integers that the code is given */
    Layout layout;         /* where some of them are inputs */
    int n_free, first;     /* first: of the numbers that belong to outputs */
    Free free[MAX_SIZES];
    Py_buffer bounds;      /* the least and the largest value of each of these */
    int releases;
    int distinct;          /* whether no two array arguments may overlap */
} Piece;

static void free_values(Value *values, Py_ssize_t count) {
    if (!values) return;
    for (Py_ssize_t k = 0; k < count; k++) {
        PyMem_Free(values[k].dims);
        Py_XDECREF(values[k].descr);
    }
    PyMem_Free(values);
}

/* A sequence of (kind, dtype, shape, strides, writeable). */
static Value *read_values(PyObject *specs, Py_ssize_t *count) {
    *count = PyTuple_Size(specs);
    if (*count < 0) return NULL;
    Value *values = PyMem_Calloc(*count ? *count : 1, sizeof(Value));
    if (!values) { PyErr_NoMemory(); return NULL; }
    for (Py_ssize_t k = 0; k < *count; k++) {
        Value *v = &values[k];
        PyObject *dtype, *shape, *strides;
        if (!PyArg_ParseTuple(PyTuple_GET_ITEM(specs, k), "iOO!O!i", &v->kind, &dtype,
                              &PyTuple_Type, &shape, &PyTuple_Type, &strides, &v->writeable)
            || !PyArray_DescrConverter(dtype, &v->descr)) goto fail;
        v->type = v->descr->type_num;
        v->ndim = (int)PyTuple_GET_SIZE(shape);
        if (v->ndim > MAX_NDIM || PyTuple_GET_SIZE(strides) != v->ndim) {
            PyErr_SetString(PyExc_ValueError, "shape and strides do not fit");
            goto fail;
        }
        v->dims = PyMem_Calloc(2 * (v->ndim ? v->ndim : 1), sizeof(npy_intp));
        if (!v->dims) { PyErr_NoMemory(); goto fail; }
        v->strides = v->dims + v->ndim;
        npy_intp itemsize = PyDataType_ELSIZE(v->descr), c = itemsize, f = itemsize;
        int is_c = 1, is_f = 1;
        for (int d = 0; d < v->ndim; d++) {
            v->dims[d] = PyLong_AsSsize_t(PyTuple_GET_ITEM(shape, d));
            v->strides[d] = PyLong_AsSsize_t(PyTuple_GET_ITEM(strides, d));
        }
        if (PyErr_Occurred()) goto fail;
        for (int d = v->ndim - 1; d >= 0; d--) { is_c &= v->strides[d] == c; c *= v->dims[d]; }
        for (int d = 0; d < v->ndim; d++) { is_f &= v->strides[d] == f; f *= v->dims[d]; }
        v->order = is_c ? 0 : is_f ? 1 : 2;
        v->high = itemsize;
        for (int d = 0; d < v->ndim; d++) {
            npy_intp span = (v->dims[d] - 1) * v->strides[d];
            if (v->dims[d] == 0) { v->low = v->high = 0; break; }
            *(span < 0 ? &v->low : &v->high) += span;
        }
    }
    return values;
fail:
    free_values(values, *count);
    return NULL;
}

/* The address of an argument's data, or NULL when it is not what was compiled for.
 * Python numbers are written into the slot. */
static inline char *address_of(PyObject *object, const Value *v, char *slot) {
    if (v->kind == ARRAY) {
        if (!PyArray_CheckExact(object)) return NULL;
        PyArrayObject *array = (PyArrayObject *)object;
        PyArray_Descr *descr = PyArray_DESCR(array);
        if (descr != v->descr && !(descr->type_num == v->type && PyArray_ISNBO(descr->byteorder)))
            return NULL;
        if (PyArray_NDIM(array) != v->ndim) return NULL;
        const npy_intp *dims = PyArray_DIMS(array), *strides = PyArray_STRIDES(array);
        for (int d = 0; d < v->ndim; d++)
            if (dims[d] != v->dims[d] || strides[d] != v->strides[d]) return NULL;
        if (!PyArray_ISALIGNED(array)) return NULL;
        if (v->writeable >= 0 && v->writeable != !!PyArray_ISWRITEABLE(array)) return NULL;
        return PyArray_BYTES(array);
    }
    if (v->kind == SCALAR) {
        if ((PyObject *)Py_TYPE(object) != (PyObject *)v->descr->typeobj) return NULL;
        PyArray_ScalarAsCtype(object, slot);
        return slot;
    }
    switch (v->type) {
    case NPY_BOOL:
        if (!PyBool_Check(object)) return NULL;
        *(npy_bool *)slot = object == Py_True;
        return slot;
    case NPY_DOUBLE:
        if (!PyFloat_CheckExact(object)) return NULL;
        *(double *)slot = PyFloat_AS_DOUBLE(object);
        return slot;
    case NPY_CDOUBLE:
        if (!PyComplex_CheckExact(object)) return NULL;
        *(Py_complex *)slot = ((PyComplexObject *)object)->cval;
        return slot;
    default: {
        if (!PyLong_CheckExact(object)) return NULL;
        int overflow;
        long long value = PyLong_AsLongLongAndOverflow(object, &overflow);
        if (overflow) return NULL;
        *(npy_int64 *)slot = value;
        return slot;
    }
    }
}

static int overlap(const Piece *piece, char *const *pointers) {
    for (Py_ssize_t i = 1; i < piece->n_inputs; i++) {
        const Value *a = &piece->inputs[i];
        if (a->kind != ARRAY) continue;
        for (Py_ssize_t j = 0; j < i; j++) {
            const Value *b = &piece->inputs[j];
            if (b->kind == ARRAY && pointers[i] + a->low < pointers[j] + b->high
                && pointers[j] + b->low < pointers[i] + a->high) return 1;
            if (b->kind == ARRAY && pointers[i] == pointers[j]) return 1;
        }
    }
    return 0;
}

static PyObject *allocate_as(const Value *v, const int64_t *numbers) {
    npy_intp dims[MAX_NDIM], strides[MAX_NDIM];
    for (int d = 0; d < v->ndim; d++) {
        dims[d] = numbers[d];
        strides[d] = numbers[v->ndim + d];
    }
    Py_INCREF(v->descr);
    return PyArray_NewFromDescr(&PyArray_Type, v->descr, v->ndim, dims, strides, NULL, 0, NULL);
}

static PyObject *allocate(const Value *v) {
    Py_INCREF(v->descr);
    return PyArray_NewFromDescr(&PyArray_Type, v->descr, v->ndim, v->dims,
                                v->order == 2 ? v->strides : NULL, NULL, v->order == 1, NULL);
}

static PyObject *python_number(const Value *v, const char *slot) {
    switch (v->type) {
    case NPY_BOOL: return PyBool_FromLong(*(const npy_bool *)slot);
    case NPY_DOUBLE: return PyFloat_FromDouble(*(const double *)slot);
    case NPY_CDOUBLE: return PyComplex_FromCComplex(*(const Py_complex *)slot);
    default: return PyLong_FromLongLong(*(const npy_int64 *)slot);
    }
}

/* piece(*values): a tuple of results; None when the arguments are not what it was
 * compiled for; False when a check says that NumPy must run. */
static PyObject *piece_call(PyObject *self, PyObject *const *args, size_t nargsf,
                            PyObject *names) {
    Piece *piece = (Piece *)self;
    Py_ssize_t given = PyVectorcall_NARGS(nargsf);
    if (given != piece->n_inputs || (names && PyTuple_GET_SIZE(names))) {
        PyErr_Format(PyExc_TypeError, "%zd values are needed, not %zd", piece->n_inputs, given);
        return NULL;
    }
    Py_ssize_t total = piece->n_inputs + piece->n_constants + 2 * piece->n_outputs
        + piece->n_checks;
    char *fixed[64], slots_fixed[64 * SLOT];
    char **pointers = fixed, *slots = slots_fixed;
    void *heap = NULL;
    if (total > 64) {
        heap = PyMem_Malloc(total * (sizeof(char *) + SLOT));
        if (!heap) return PyErr_NoMemory();
        pointers = heap;
        slots = (char *)heap + total * sizeof(char *);
    }
    char **outputs = pointers + piece->n_inputs + piece->n_constants;
    char *out_slots = slots + piece->n_inputs * SLOT;
    PyObject *results = NULL;
    char *scratch = NULL, *scratch_base = NULL;
    for (Py_ssize_t k = 0; k < piece->n_inputs; k++) {
        pointers[k] = address_of(args[k], &piece->inputs[k], slots + k * SLOT);
        if (!pointers[k]) {
            if (PyErr_Occurred()) goto fail;
            PyMem_Free(heap);
            Py_RETURN_NONE;
        }
    }
    if (piece->distinct && overlap(piece, pointers)) {
        PyMem_Free(heap);
        Py_RETURN_NONE;
    }
    const int64_t *sizes = (const int64_t *)PyBytes_AS_STRING(piece->sizes);
    int64_t own_sizes[MAX_SIZES], numbers[MAX_NUMBERS];
    size_t scratch_size = piece->scratch;
    if (piece->layout) {
        const int64_t *bounds = piece->bounds.buf;
        memcpy(own_sizes, sizes, PyBytes_GET_SIZE(piece->sizes));
        sizes = own_sizes;
        int64_t needed = 0;
        for (int k = 0; k < piece->n_free && needed >= 0; k++) {
            int64_t value = *(const int64_t *)pointers[piece->free[k].input];
            own_sizes[piece->free[k].size] = value;
            if (value < bounds[2 * k] || value > bounds[2 * k + 1]) needed = -1;
        }
        if (needed >= 0) needed = piece->layout(sizes, numbers);
        if (needed < 0) {
            PyMem_Free(heap);
            Py_RETURN_NONE;
        }
        scratch_size = (size_t)needed;
    }
    int place = piece->first;
    for (Py_ssize_t k = 0; k < piece->n_constants; k++)
        pointers[piece->n_inputs + k] =
            PyArray_BYTES((PyArrayObject *)PyTuple_GET_ITEM(piece->constants, k));
    results = PyTuple_New(piece->n_outputs);
    if (!results) goto fail;
    for (Py_ssize_t k = 0; k < piece->n_outputs; k++) {
        const Value *v = &piece->outputs[k];
        if (v->kind != ARRAY) {
            outputs[k] = out_slots + k * SLOT;
            continue;
        }
        PyObject *array = piece->layout ? allocate_as(v, numbers + place) : allocate(v);
        place += 2 * v->ndim;
        if (!array) goto fail;
        PyTuple_SET_ITEM(results, k, array);
        outputs[k] = PyArray_BYTES((PyArrayObject *)array);
    }
    npy_bool flags[8] = {1, 1, 1, 1, 1, 1, 1, 1};
    for (Py_ssize_t k = 0; k < piece->n_checks; k++)
        outputs[piece->n_outputs + k] = (char *)&flags[k];
    if (scratch_size) {
        scratch_base = PyMem_RawMalloc(scratch_size + 64);
        if (!scratch_base) { PyErr_NoMemory(); goto fail; }
        scratch = (char *)(((uintptr_t)scratch_base + 63) & ~(uintptr_t)63);
    }
    int failed;
    if (piece->releases) {
        Py_BEGIN_ALLOW_THREADS
        failed = piece->entry(pointers, outputs, scratch, sizes);
        Py_END_ALLOW_THREADS
    } else {
        failed = piece->entry(pointers, outputs, scratch, sizes);
    }
    PyMem_RawFree(scratch_base);
    for (Py_ssize_t k = 0; k < piece->n_checks; k++) failed |= !flags[k];
    if (failed) {
        Py_DECREF(results);
        PyMem_Free(heap);
        Py_RETURN_FALSE;
    }
    for (Py_ssize_t k = 0; k < piece->n_outputs; k++) {
        const Value *v = &piece->outputs[k];
        if (v->kind == ARRAY) continue;
        PyObject *number = v->kind == SCALAR ? PyArray_Scalar(outputs[k], v->descr, NULL)
                                             : python_number(v, outputs[k]);
        if (!number) goto fail;
        PyTuple_SET_ITEM(results, k, number);
    }
    PyMem_Free(heap);
    return results;
fail:
    Py_XDECREF(results);
    PyMem_Free(heap);
    return NULL;
}

static void piece_dealloc(PyObject *self) {
    Piece *piece = (Piece *)self;
    free_values(piece->inputs, piece->n_inputs);
    free_values(piece->outputs, piece->n_outputs);
    Py_XDECREF(piece->constants);
    Py_XDECREF(piece->sizes);
    if (piece->bounds.obj) PyBuffer_Release(&piece->bounds);
    Py_XDECREF(piece->library);
    Py_TYPE(self)->tp_free(self);
}

/* (address of the layout, bounds, first number of the outputs, how many numbers, *pairs of
 * size and input). */
static int read_free(Piece *piece, PyObject *free) {
    Py_ssize_t count = PyTuple_GET_SIZE(free) - 4;
    void *layout = PyLong_AsVoidPtr(PyTuple_GET_ITEM(free, 0));
    long first = PyLong_AsLong(PyTuple_GET_ITEM(free, 2));
    long numbers = PyLong_AsLong(PyTuple_GET_ITEM(free, 3));
    if (PyErr_Occurred()) return 0;
    if (PyObject_GetBuffer(PyTuple_GET_ITEM(free, 1), &piece->bounds, PyBUF_C_CONTIGUOUS) < 0)
        return 0;
    Py_ssize_t sizes = PyBytes_GET_SIZE(piece->sizes) / (Py_ssize_t)sizeof(int64_t);
    if (count > MAX_SIZES || sizes > MAX_SIZES || numbers > MAX_NUMBERS
        || piece->bounds.len < 2 * count * (Py_ssize_t)sizeof(int64_t)) {
        PyErr_SetString(PyExc_ValueError, "too many sizes");
        return 0;
    }
    for (Py_ssize_t k = 0; k < count; k++) {
        if (!PyArg_ParseTuple(PyTuple_GET_ITEM(free, k + 4), "ii", &piece->free[k].size,
                              &piece->free[k].input)) return 0;
        if (piece->free[k].size < 0 || piece->free[k].size >= sizes) {
            PyErr_SetString(PyExc_ValueError, "no such size");
            return 0;
        }
    }
    piece->layout = (Layout)layout;
    piece->n_free = (int)count;
    piece->first = (int)first;
    return 1;
}

static PyObject *piece_new(PyTypeObject *type, PyObject *args, PyObject *kwargs) {
    PyObject *address, *inputs, *outputs, *constants, *sizes, *free, *library;
    Py_ssize_t checks, scratch;
    int releases, distinct;
    if (!PyArg_ParseTuple(args, "OO!O!O!nnO!O!ppO", &address, &PyTuple_Type, &inputs, &PyTuple_Type,
                          &outputs, &PyTuple_Type, &constants, &checks, &scratch,
                          &PyBytes_Type, &sizes, &PyTuple_Type, &free, &releases, &distinct, &library))
        return NULL;
    if (checks > 8) {
        PyErr_SetString(PyExc_ValueError, "more than 8 checks");
        return NULL;
    }
    Piece *piece = (Piece *)type->tp_alloc(type, 0);
    if (!piece) return NULL;
    piece->vectorcall = piece_call;
    piece->entry = (Entry)PyLong_AsVoidPtr(address);
    piece->n_checks = checks;
    piece->scratch = (size_t)scratch;
    piece->releases = releases;
    piece->distinct = distinct;
    piece->n_constants = PyTuple_GET_SIZE(constants);
    Py_INCREF(constants);
    piece->constants = constants;
    Py_INCREF(sizes);
    piece->sizes = sizes;
    Py_INCREF(library);
    piece->library = library;
    for (Py_ssize_t k = 0; k < piece->n_constants; k++)
        if (!PyArray_CheckExact(PyTuple_GET_ITEM(constants, k))) {
            PyErr_SetString(PyExc_TypeError, "constants must be arrays");
            Py_DECREF(piece);
            return NULL;
        }
    if (PyTuple_GET_SIZE(free) && !read_free(piece, free)) {
        Py_DECREF(piece);
        return NULL;
    }
    piece->inputs = read_values(inputs, &piece->n_inputs);
    piece->outputs = piece->inputs ? read_values(outputs, &piece->n_outputs) : NULL;
    if (!piece->outputs || PyErr_Occurred()) {
        Py_DECREF(piece);
        return NULL;
    }
    return (PyObject *)piece;
}

static PyTypeObject PieceType = {
    PyVarObject_HEAD_INIT(NULL, 0)
    .tp_name = "jupyter_npcompile.Piece",
    .tp_doc = "A native piece of a segment: piece(*values) gives its results.",
    .tp_basicsize = sizeof(Piece),
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_VECTORCALL,
    .tp_new = piece_new,
    .tp_dealloc = piece_dealloc,
    .tp_call = PyVectorcall_Call,
    .tp_vectorcall_offset = offsetof(Piece, vectorcall),
};

/* loop(ufunc, index): where one of its inner loops is, and the data that this is given. */
static PyObject *loop_of(PyObject *self, PyObject *args) {
    PyObject *object;
    int index;
    if (!PyArg_ParseTuple(args, "Oi", &object, &index)) return NULL;
    if (strcmp(Py_TYPE(object)->tp_name, "numpy.ufunc")) {
        PyErr_SetString(PyExc_TypeError, "not a ufunc");
        return NULL;
    }
    PyUFuncObject *ufunc = (PyUFuncObject *)object;
    if (index < 0 || index >= ufunc->ntypes) {
        PyErr_SetString(PyExc_IndexError, "no such loop");
        return NULL;
    }
    void *data = ufunc->data ? (void *)ufunc->data[index] : NULL;
    return Py_BuildValue("(NN)", PyLong_FromVoidPtr((void *)ufunc->functions[index]),
                         PyLong_FromVoidPtr(data));
}

static PyMethodDef functions[] = {
    {"loop", loop_of, METH_VARARGS, NULL},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef definition = {
    PyModuleDef_HEAD_INIT, .m_name = "npcompile_dispatch", .m_size = -1, .m_methods = functions,
};

PyMODINIT_FUNC PyInit_npcompile_dispatch(void) {
    import_array();
    if (PyType_Ready(&PieceType) < 0) return NULL;
    PyObject *module = PyModule_Create(&definition);
    if (!module) return NULL;
    if (PyModule_AddObjectRef(module, "Piece", (PyObject *)&PieceType) < 0) {
        Py_DECREF(module);
        return NULL;
    }
    return module;
}
