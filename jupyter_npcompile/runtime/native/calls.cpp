// A whole function that runs natively, as Python calls it: what was assumed when it was translated
// is compared, its inputs are fetched, and native code is called, all without Python. What does not
// fit, and what a look is due for, is left to Python. Compiled like a loop, once for a machine.

#include <structmember.h>

typedef PyObject *(*Entry)(PyObject *, PyObject *const *, Py_ssize_t);

// From a parameter, a global name or a cell of a closure to what lies at the end of some steps:
// attributes (texts), or calls of what is no text.
struct Path {
    enum Start { PARAMETER, GLOBAL, CELL } start;
    Py_ssize_t place;
    PyObject *names, *builtins, *name, *cell, *steps, *expected;  // all borrowed
};
struct Helper { PyObject *function, *code, *defaults; };

struct Call {
    PyObject_HEAD
    vectorcallfunc vectorcall;
    Entry run;
    PyObject *held;  // keeps all that is borrowed
    PyObject *handle, *last, *explained, *remember, *is_same, *gives_up, *printed, *show, *hosts;
    Py_ssize_t parameters, n_guards, n_helpers, n_inputs;
    Path *guards, *inputs;
    Helper *helpers;
    i64 left;    // calls until Python has to look
    i64 ran;     // calls that have run since somebody asked
    i64 *sizes;  // of the arguments, for which it was judged
    double until;
};

#define OTHER_SIZE 64  // calls that one of another size counts for
#define GLANCE 8       // calls after which the clock is asked

static PyObject *zero_, *one_;

// As `size_of` in selector.py has it.
static i64 size_of(PyObject *o) {
    i64 size = 0;
    if (PyArray_CheckExact(o)) size = PyArray_SIZE((PyArrayObject *)o);
    else if (PyLong_CheckExact(o)) {
        int overflow;
        size = PyLong_AsLongLongAndOverflow(o, &overflow);
        if (overflow) return -1;
    }
    else if (PyList_CheckExact(o)) size = PyList_GET_SIZE(o);
    else if (PyTuple_CheckExact(o)) size = PyTuple_GET_SIZE(o);
    else if (PyDict_CheckExact(o)) size = PyDict_GET_SIZE(o);
    return bit_length(size);
}
static bool is_granted(Call *c, PyObject *const *args) {
    if (c->left <= 0) return false;
    i64 cost = 1;
    for (Py_ssize_t k = 0; k < c->parameters; k++) if (size_of(args[k]) != c->sizes[k]) cost = OTHER_SIZE;
    c->left -= cost;
    if ((c->left & (GLANCE - 1)) < cost && now() > c->until) c->left = 0;  // the last one
    return true;
}
// A new reference; null where there is nothing, or with an error that is none of looking something up.
static PyObject *reach(const Path &p, PyObject *const *args) {
    PyObject *found;
    if (p.start == Path::PARAMETER) found = args[p.place];
    else if (p.start == Path::CELL) found = PyCell_GET(p.cell);
    else {
        found = PyDict_GetItemWithError(p.names, p.name);
        if (!found && !PyErr_Occurred()) found = PyDict_GetItemWithError(p.builtins, p.name);
    }
    Py_XINCREF(found);
    for (Py_ssize_t k = 0; found && k < PyTuple_GET_SIZE(p.steps); k++) {
        PyObject *step = PyTuple_GET_ITEM(p.steps, k), *next = nullptr;
        if (!PyUnicode_CheckExact(step)) next = PyObject_CallOneArg(step, found);
        else {
            if (PyModule_CheckExact(found) && PyUnicode_READ_CHAR(step, 0) != '_')
                next = Py_XNewRef(PyDict_GetItemWithError(PyModule_GetDict(found), step));
            if (!next && !PyErr_Occurred()) next = PyObject_GetAttr(found, step);
        }
        Py_DECREF(found);
        found = next;
    }
    if (!found && PyErr_Occurred() && (PyErr_ExceptionMatches(PyExc_LookupError)
            || PyErr_ExceptionMatches(PyExc_AttributeError) || PyErr_ExceptionMatches(PyExc_NameError)))
        PyErr_Clear();
    return found;
}
// Whether a value is what was expected; -1 with an error.
static int is_same(Call *c, PyObject *value, PyObject *expected) {
    if (value == expected) return 1;
    if (Py_TYPE(value) != Py_TYPE(expected)) return 0;
    if (PyLong_CheckExact(value) || PyUnicode_CheckExact(value)) return PyObject_RichCompareBool(value, expected, Py_EQ);
    PyObject *found = PyObject_CallFunctionObjArgs(c->is_same, value, expected, nullptr);
    const int same = found ? PyObject_IsTrue(found) : -1;
    Py_XDECREF(found);
    return same;
}
static int holds(Call *c, PyObject *const *args) {
    for (Py_ssize_t k = 0; k < c->n_helpers; k++) {
        const Helper &h = c->helpers[k];
        PyObject *defaults = PyFunction_GET_DEFAULTS(h.function);
        if (PyFunction_GET_CODE(h.function) != h.code || (defaults ? defaults : Py_None) != h.defaults) return 0;
    }
    for (Py_ssize_t k = 0; k < c->n_guards; k++) {
        PyObject *value = reach(c->guards[k], args);
        if (!value) return PyErr_Occurred() ? -1 : 0;
        const int same = is_same(c, value, c->guards[k].expected);
        Py_DECREF(value);
        if (same != 1) return same;
    }
    return 1;
}
static PyObject *gives_up(Call *c, bool refused) {
    PyObject *done = PyObject_CallOneArg(c->gives_up, refused ? Py_True : Py_False);
    if (!done) return nullptr;
    Py_DECREF(done);
    return Py_NewRef(c->handle);
}
enum { FINISHED, LEFT, PAUSED, REFUSED, NOTHING, RETURNED };

// Native code with the inputs; its answer, null with an error, or None.
static PyObject *answer_of(Call *c, PyObject *const *args) {
    PyObject *few[32];
    const Py_ssize_t n = c->n_inputs, hosts = PyTuple_GET_SIZE(c->hosts), count = 3 + n + hosts;
    PyObject **all = count <= 32 ? few : (PyObject **)PyMem_Malloc((size_t)count * sizeof *all);
    if (!all) return PyErr_NoMemory();
    all[0] = all[2] = one_;
    all[1] = zero_;
    Py_ssize_t fetched = 0;
    for (; fetched < n; fetched++) if (!(all[3 + fetched] = reach(c->inputs[fetched], args))) break;
    PyObject *answer = nullptr;
    if (fetched == n) {
        for (Py_ssize_t k = 0; k < hosts; k++) all[3 + n + k] = PyTuple_GET_ITEM(c->hosts, k);
        answer = c->run(nullptr, all, count);
    } else if (!PyErr_Occurred()) answer = Py_NewRef(Py_None);
    for (Py_ssize_t k = 0; k < fetched; k++) Py_DECREF(all[3 + k]);
    if (all != few) PyMem_Free(all);
    return answer;
}
static PyObject *called(PyObject *self, PyObject *const *args, size_t flags, PyObject *keywords) {
    Call *c = (Call *)self;
    if (PyVectorcall_NARGS(flags) != c->parameters || keywords) {
        PyErr_SetString(PyExc_TypeError, "a native call takes the parameters of its function");
        return nullptr;
    }
    if (!is_granted(c, args)) return gives_up(c, false);
    const int fits = holds(c, args);
    if (fits < 0) return nullptr;
    if (!fits) return gives_up(c, false);
    PyObject *answer = answer_of(c, args);
    if (!answer) return nullptr;
    const long status = answer == Py_None ? NOTHING : PyLong_AsLong(PyTuple_GET_ITEM(answer, 0));
    if (status != RETURNED && status != FINISHED) { Py_DECREF(answer); return gives_up(c, status == REFUSED); }
    PyObject *result = Py_NewRef(status == RETURNED ? PyTuple_GET_ITEM(answer, 2) : Py_None);
    Py_DECREF(answer);
    c->ran++;
    const bool is_last = PyList_GET_SIZE(c->last) && PyList_GET_ITEM(c->last, 0) == c->handle && !PyList_GET_SIZE(c->explained);
    for (PyObject *then : {PyList_GET_SIZE(c->printed) ? c->show : nullptr, is_last ? nullptr : c->remember}) {
        PyObject *done = then ? then == c->remember ? PyObject_CallOneArg(then, c->handle) : PyObject_CallNoArgs(then) : Py_NewRef(Py_None);
        if (!done) { Py_DECREF(result); return nullptr; }
        Py_DECREF(done);
    }
    return result;
}

// ---- making one

static void free_call(PyObject *self) {
    Call *c = (Call *)self;
    PyObject_GC_UnTrack(self);
    Py_CLEAR(c->held);
    delete[] c->guards; delete[] c->inputs; delete[] c->helpers; delete[] c->sizes;
    PyTypeObject *type = Py_TYPE(self);
    PyObject_GC_Del(self);
    Py_DECREF(type);
}
static int traverse(PyObject *self, visitproc visit, void *arg) {
    Py_VISIT(Py_TYPE(self));
    Py_VISIT(((Call *)self)->held);
    return 0;
}
// What it holds stays until it is freed: the handle, which is in every cycle, lets go of it.
static PyObject *grant(PyObject *self, PyObject *args) {
    Call *c = (Call *)self;
    long long left;
    double seconds;
    PyObject *sizes;
    if (!PyArg_ParseTuple(args, "LdO!", &left, &seconds, &PyTuple_Type, &sizes)) return nullptr;
    if (PyTuple_GET_SIZE(sizes) != c->parameters) { PyErr_SetString(PyExc_ValueError, "a size for each parameter"); return nullptr; }
    for (Py_ssize_t k = 0; k < c->parameters; k++) c->sizes[k] = PyLong_AsLongLong(PyTuple_GET_ITEM(sizes, k));
    if (PyErr_Occurred()) return nullptr;
    c->left = left;
    c->until = now() + seconds;
    Py_RETURN_NONE;
}
static PyObject *settle(PyObject *self, PyObject *) {
    Call *c = (Call *)self;
    PyObject *ran = PyLong_FromLongLong(c->ran);
    if (ran) c->ran = 0;
    return ran;
}
static PyMethodDef methods_[] = {
    {"grant", grant, METH_VARARGS, "Let so many calls run, for so long, of arguments of these sizes."},
    {"settle", settle, METH_NOARGS, "How many calls have run since this was asked."},
    {nullptr, nullptr, 0, nullptr}};
static PyMemberDef members_[] = {
    {(char *)"__vectorcalloffset__", T_PYSSIZET, offsetof(Call, vectorcall), READONLY, nullptr},
    {(char *)"left", T_LONGLONG, offsetof(Call, left), 0, nullptr},
    {nullptr, 0, 0, 0, nullptr}};
static PyType_Slot slots_[] = {
    {Py_tp_dealloc, (void *)free_call}, {Py_tp_traverse, (void *)traverse}, {Py_tp_call, (void *)PyVectorcall_Call},
    {Py_tp_methods, methods_}, {Py_tp_members, members_}, {0, nullptr}};
static PyType_Spec spec_ = {"npcompile.Call", sizeof(Call), 0,
    Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_HAVE_VECTORCALL | Py_TPFLAGS_DISALLOW_INSTANTIATION, slots_};
static PyTypeObject *type_;

// A start, steps, and what is expected: a place; a cell; or names, those built in, and a name.
static bool read_path(PyObject *text, Path &p) {
    PyObject *start;
    p = {};
    if (!PyArg_ParseTuple(text, "OO!O", &start, &PyTuple_Type, &p.steps, &p.expected)) return false;
    if (PyLong_CheckExact(start)) {
        p.start = Path::PARAMETER;
        p.place = PyLong_AsSsize_t(start);
        return !PyErr_Occurred();
    }
    if (PyCell_Check(start)) { p.start = Path::CELL; p.cell = start; return true; }
    p.start = Path::GLOBAL;
    return PyArg_ParseTuple(start, "O!O!U", &PyDict_Type, &p.names, &PyDict_Type, &p.builtins, &p.name);
}
static Path *read_paths(PyObject *texts, Py_ssize_t &count) {
    count = PyTuple_GET_SIZE(texts);
    Path *paths = new Path[count ? count : 1];
    for (Py_ssize_t k = 0; k < count; k++)
        if (!read_path(PyTuple_GET_ITEM(texts, k), paths[k])) { delete[] paths; return nullptr; }
    return paths;
}
static PyObject *make_call(PyObject *, PyObject *const *args, Py_ssize_t count) {
    if (count != 1 || !PyTuple_CheckExact(args[0])) { PyErr_SetString(PyExc_TypeError, "one tuple is expected"); return nullptr; }
    if (!type_) {
        zero_ = PyLong_FromLong(0);
        one_ = PyLong_FromLong(1);
        type_ = (PyTypeObject *)PyType_FromSpec(&spec_);
        if (!type_) return nullptr;
    }
    PyObject *run, *guards, *helpers, *inputs;
    Call found = {};
    if (!PyArg_ParseTuple(args[0], "OnO!O!O!O!OO!O!OOOO!O", &run, &found.parameters, &PyTuple_Type, &guards,
            &PyTuple_Type, &helpers, &PyTuple_Type, &inputs, &PyTuple_Type, &found.hosts, &found.handle,
            &PyList_Type, &found.last, &PyList_Type, &found.explained, &found.remember, &found.is_same,
            &found.gives_up, &PyList_Type, &found.printed, &found.show)) return nullptr;
    if (!PyCFunction_Check(run) || PyCFunction_GET_FLAGS(run) != METH_FASTCALL) {
        PyErr_SetString(PyExc_TypeError, "native code is expected");
        return nullptr;
    }
    Call *c = PyObject_GC_New(Call, type_);
    if (!c) return nullptr;
    std::memcpy((char *)c + sizeof(PyObject), (char *)&found + sizeof(PyObject), sizeof(Call) - sizeof(PyObject));
    c->vectorcall = called;
    c->run = (Entry)(void (*)(void))PyCFunction_GET_FUNCTION(run);
    c->held = Py_NewRef(args[0]);
    c->sizes = new i64[c->parameters ? c->parameters : 1]();
    c->n_helpers = PyTuple_GET_SIZE(helpers);
    c->helpers = new Helper[c->n_helpers ? c->n_helpers : 1];
    PyObject_GC_Track((PyObject *)c);
    bool good = (c->guards = read_paths(guards, c->n_guards)) && (c->inputs = read_paths(inputs, c->n_inputs));
    for (Py_ssize_t k = 0; good && k < c->n_helpers; k++) {
        Helper &h = c->helpers[k];
        good = PyArg_ParseTuple(PyTuple_GET_ITEM(helpers, k), "O!OO", &PyFunction_Type, &h.function, &h.code, &h.defaults);
    }
    if (!good) Py_CLEAR(c);
    return (PyObject *)c;
}
ENTRY(make_call)
