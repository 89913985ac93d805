// Lists that are made in a run
#pragma once
#include "indices.hpp"
#include "results.hpp"
#include <algorithm>
#include <memory>
#include <tuple>
#include <vector>

template <class T> struct Item { T v; int tag; };  // a number, and whose it is
template <class T> struct Listed {
    std::vector<T> items;
    int readers = 0;  // loops that go through it
    i64 size() const { return (i64)items.size(); }
    void change() const { NEED(!readers); }
    void push(const T &item) { change(); items.push_back(item); }
    void erase(i64 place) { change(); items.erase(items.begin() + place); }
    void reverse() { change(); std::reverse(items.begin(), items.end()); }
    template <bool FALLING> void sort() {
        change();
        for (const T &item : items) NEED(item.v == item.v);
        std::stable_sort(items.begin(), items.end(), [](const T &a, const T &b) { return FALLING ? b.v < a.v : a.v < b.v; });
    }
    void clear() { change(); items.clear(); }
    void take(const Listed &from, const Slice &cut, i64 step) {
        for (i64 k = 0; k < cut.count; k++) items.push_back(from.items[cut.start + k * step]);
    }
};
// A list that is changed while a loop goes through it is Python's.
struct Reader {
    int &readers;
    explicit Reader(int &readers) : readers(readers) { ++readers; }
    ~Reader() { --readers; }
};
template <class T, class F>
static PyObject *make_list(const std::shared_ptr<Listed<T>> &list, Results &results, const F &make) {
    for (const auto &[known, object] : results.lists) if (known == list.get()) return Py_NewRef(object);
    PyObject *made = PyList_New(list->size());
    for (i64 k = 0; made && k < list->size(); k++) {
        PyObject *item = make(list->items[k]);
        if (item) PyList_SET_ITEM(made, k, item); else Py_CLEAR(made);
    }
    if (made) results.lists.push({list.get(), made});
    return made;
}
static inline bool extend(PyObject *list, PyObject *tail) {
    const Py_ssize_t n = PyList_GET_SIZE(list);
    return PyList_SetSlice(list, n, n, tail) == 0;
}
// Replace the value in a dict, or the attribute of an object: it is there.
static bool put(PyObject *record, const char *name, PyObject *value) {
    if (PyDict_CheckExact(record)) return PyDict_SetItemString(record, name, value) == 0;
    return PyObject_SetAttrString(record, name, value) == 0;
}
static PyObject *make_dict(std::initializer_list<const char *> keys, std::initializer_list<PyObject *> parts) {
    PyObject *made = PyDict_New();
    bool good = made != nullptr;
    for (PyObject *part : parts) good = good && part;
    const char *const *key = keys.begin();
    for (PyObject *part : parts) {
        good = good && PyDict_SetItemString(made, *key++, part) == 0;
        Py_XDECREF(part);
    }
    if (!good) Py_CLEAR(made);
    return made;
}
static inline PyObject *as_list(PyObject *items) {
    PyObject *made = items ? PySequence_List(items) : nullptr;
    Py_XDECREF(items);
    return made;
}
