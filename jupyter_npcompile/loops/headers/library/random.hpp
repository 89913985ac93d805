// Random numbers: NumPy's own generators and distributions
#pragma once
#include "arrays.hpp"
#include "runs.hpp"
#include <algorithm>
#include <vector>
#include <numpy/random/bitgen.h>

struct Source { PyObject *object; bitgen_t *bits; };
extern "C" {
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
    if (state && find_bits(bits, v)) { run.streams.push({bits, state}); return true; }
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
    run.made.push(o);
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
    NEED(math::isfinite(range) && range >= 0);
    return low + range * random_double(s);
}
static inline double random_wait(const Source &s, double scale) {
    NEED(!math::signbit(scale) && scale == scale);
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
    NEED(p.n[0] > 0 && math::fabs(sum - 1.0) <= 1e-8);
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

