// Loops that several threads share
#pragma once
#include "piles.hpp"
#include "runs.hpp"
#include <csignal>
#include <pthread.h>
#include <unistd.h>
#ifdef __linux__
#include <sched.h>
#endif

// What a part of a loop takes at least, in ns: to wake a thread takes 5 to 50 us.
#ifndef PART
#define PART 100e3
#endif
// Parts for each thread, so that one that is held up leaves most of its work to the others.
#define PIECES 4
// As many as OpenMP would have.
static i64 threads() {
    static const i64 found = [] {
        const char *wanted = getenv("OMP_NUM_THREADS");
        if (const i64 count = wanted ? strtol(wanted, nullptr, 10) : 0; count > 0)
            return math::min<i64>(count, 256);
#ifdef __linux__
        cpu_set_t mine;
        if (!sched_getaffinity(0, sizeof mine, &mine)) return (i64)CPU_COUNT(&mine);
#endif
        return math::max<i64>(sysconf(_SC_NPROCESSORS_ONLN), 1);
    }();
    return found;
}
// Elements that are not torn apart.
#ifndef LINE
#define LINE 64
#endif
// And of a row, where there are other rows between two pieces of it: what is read in advance is not torn.
#ifndef STRETCH
#define STRETCH (32 * LINE)
#endif
// Which part of a nest: some of its rows, and of the elements of each.
struct Bounds { i64 first, last, from, to; };
typedef void Nest(const void *, const Bounds &);
// How a nest is cut: into some of its rows each, or into pieces of all rows.
struct Cuts {
    i64 rows, n, parts;
    bool by_rows;
    Cuts(i64 rows, i64 inner, i64 n, i64 most) : rows(rows), n(n) {
        const i64 pieces = n / (rows * inner > 1 ? STRETCH : LINE);
        by_rows = rows >= 4 * most || rows >= pieces;
        parts = math::min(most, by_rows ? rows : pieces);
    }
    // Pieces of rows begin where a line of the cache does, if the row does.
    Bounds of(i64 part) const {
        if (by_rows) return {rows * part / parts, rows * (part + 1) / parts, 0, n};
        return {0, rows, place(part), place(part + 1)};
    }
    i64 place(i64 part) const { return part == parts ? n : n / LINE * part / parts * LINE; }
};
// A lock, as long as it is not given back. (What <mutex> and <thread> declare takes longer to read
// than most loops.)
struct Locked {
    pthread_mutex_t &lock;
    bool is_held = false;
    explicit Locked(pthread_mutex_t &lock) : lock(lock) { take(); }
    Locked(const Locked &) = delete;
    ~Locked() { if (is_held) give(); }
    void take() { pthread_mutex_lock(&lock); is_held = true; }
    void give() { is_held = false; pthread_mutex_unlock(&lock); }
    void wait(pthread_cond_t &until) { pthread_cond_wait(&until, &lock); }
};
// The threads of a run. They sleep between two loops and end with the run: a process that is forked
// afterwards misses nothing. Whoever is free takes the next part: where the system lets a thread
// wait for its turn, the others do its work.
struct Crew {
    struct Task {
        Nest *nest = nullptr;
        const void *what = nullptr;
        Cuts cuts{0, 0, 0, 1};
        i64 next = 0, left = 0;  // parts that nobody has begun, and that are not done
    };
    pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    pthread_cond_t begin = PTHREAD_COND_INITIALIZER, end = PTHREAD_COND_INITIALIZER;
    Pile<pthread_t> hands;
    Task task;
    int flags = 0;        // that a part has left
    bool failed = false;  // NumPy has to run this
    bool over = false;

    bool has_parts() const { return task.next < task.cuts.parts; }
    // Parts, as long as there are any. The lock is held before and afterwards.
    void help(Locked &held) {
        while (has_parts()) {
            const i64 part = task.next++;
            const Task mine = task;
            held.give();
            bool bad = false;
            try { mine.nest(mine.what, mine.cuts.of(part)); } catch (const Bail &) { bad = true; }
            const int raised = fetestexcept(FE_ALL_EXCEPT);
            held.take();
            failed |= bad;
            flags |= raised;
            if (!--task.left) pthread_cond_signal(&end);
        }
    }
    void hand() {
        Locked held(lock);
        for (;;) {
            while (!over && !has_parts()) held.wait(begin);
            if (over) return;
            feclearexcept(FE_ALL_EXCEPT);
            help(held);
        }
    }
    // So many threads, or as many as the system gives; signals are for Python's.
    i64 hire(i64 wanted) {
        if (hands.size() + 1 >= wanted) return wanted;
        hands.reserve(wanted);
        sigset_t all, before;
        sigfillset(&all);
        pthread_sigmask(SIG_SETMASK, &all, &before);
        void *(*const begun)(void *) = [](void *crew) -> void * {
            ((Crew *)crew)->hand();
            return nullptr;
        };
        for (pthread_t one; hands.size() + 1 < wanted; hands.push(one))
            if (pthread_create(&one, nullptr, begun, this)) break;
        pthread_sigmask(SIG_SETMASK, &before, nullptr);
        return hands.size() + 1;
    }
    void work(Nest *nest, const void *what, const Cuts &cuts) {
        Locked held(lock);
        task = {nest, what, cuts, 0, cuts.parts};
        flags = 0;
        failed = false;
        pthread_cond_broadcast(&begin);
        help(held);
        while (task.left) held.wait(end);
        if (flags) feraiseexcept(flags);  // its own are raised already
        if (failed) bail();
    }
    ~Crew() {
        {
            const Locked held(lock);
            over = true;
        }
        pthread_cond_broadcast(&begin);
        for (const pthread_t one : hands) pthread_join(one, nullptr);
        pthread_cond_destroy(&begin);
        pthread_cond_destroy(&end);
        pthread_mutex_destroy(&lock);
    }
};
static void dismiss(Crew *crew) { delete crew; }
[[gnu::noinline]] static void go_through(Run &run, Nest *nest, const void *what, i64 rows, i64 inner, i64 n, double time) {
    const i64 most = math::min<i64>(threads(), (i64)(time / PART));
    if (!run.crew) { run.crew = new Crew; run.dismiss = dismiss; }
    const i64 crew = run.crew->hire(most);
    run.crew->work(nest, what, Cuts(rows, inner, n, crew > 1 ? PIECES * crew : 1));
}
// A nest of loops: it goes through the bounds that it is given. An element takes so many ns.
// What one thread does alone is written where it stands, where the compiler knows what is constant,
// and what is in registers.
template <class F> INLINE void spread(Run &run, i64 rows, i64 inner, i64 n, double cost, const F &nest) {
    if constexpr (!std::is_trivially_copyable<F>::value) return nest((i64)0, rows, (i64)0, n);  // no arrays
    const double time = cost * (double)rows * (double)inner * (double)n;
    if (LIKELY(time < 2 * PART) || threads() < 2) return nest((i64)0, rows, (i64)0, n);
    const F lent = nest;  // nobody has the address of the one above, which is in registers
    Nest *const part = [](const void *what, const Bounds &bounds) {
        const F own = *(const F *)what;  // which is kept in registers
        own(bounds.first, bounds.last, bounds.from, bounds.to);
    };
    go_through(run, part, &lent, rows, inner, n, time);
}
