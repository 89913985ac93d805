// What a run needs to know
#pragma once
#include "memory.hpp"
#include "piles.hpp"
#include <csignal>
#include <pthread.h>
#include <ctime>

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
struct Stream { PyObject *bits, *state; };  // and where it was
struct Run {
    i64 grant;  // how often the loop goes on before it looks at the clock
    bool enough;  // it has run for so long that Python should have a turn
    bool odd;  // something was made of an array that is not in C's order
    double began, looked, asked;
    PyThreadState *released;
    int flags;  // floating-point flags from before NumPy was called
    int ignored;  // those that do not matter now
    Spare spare;
    Pile<Stream> streams;
    Pile<PyObject *> made;  // generators of this run's
    Pile<PyObject *> texts;  // what has to be printed, if this run counts
    PyObject *legacy, *legacy_state;  // the generator behind np.random.rand, and where it was
    Crew *crew;  // its threads, once it has some
    void (*dismiss)(Crew *);  // how they go
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
    timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}
static inline void back(Run &run) {
    if (run.released) { PyEval_RestoreThread(run.released); run.released = nullptr; }
}
// Flags that matter: to clear them takes longer than a small loop.
static inline void clear_flags() {
    if (fetestexcept(FE_DIVBYZERO | FE_OVERFLOW | FE_UNDERFLOW | FE_INVALID)) feclearexcept(FE_ALL_EXCEPT);
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

