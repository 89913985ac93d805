
// ---- np.median, np.percentile, np.sort, np.unique

#define LANES 32     // lines that are put in order at once
#define FEW 32       // elements that are put in order by pairs which are known beforehand
// D. E. Knuth, The Art of Computer Programming, 5.2.2, algorithm M: pairs to compare, and of them
// those on which some places depend.
struct Network {
    int n = 0;
    std::vector<std::pair<uint8_t, uint8_t>> pairs;
    Network(int n, int first, int last) : n(n) {
        int top = 1;
        while (top < n) top *= 2;
        for (int p = top / 2; p > 0; p /= 2) {
            int q = top / 2, r = 0, d = p;
            for (;;) {
                for (int i = 0; i + d < n; i++)
                    if ((i & p) == r) pairs.push_back({(uint8_t)i, (uint8_t)(i + d)});
                if (q == p) break;
                d = q - p;
                q /= 2;
                r = p;
            }
        }
        std::vector<bool> wanted((size_t)n);
        for (int k = first; k <= last && k < n; k++) wanted[k] = true;
        std::vector<std::pair<uint8_t, uint8_t>> needed;
        for (auto pair = pairs.rbegin(); pair != pairs.rend(); ++pair) {
            if (!wanted[pair->first] && !wanted[pair->second]) continue;
            wanted[pair->first] = wanted[pair->second] = true;
            needed.push_back(*pair);
        }
        pairs.assign(needed.rbegin(), needed.rend());
    }
    // NaN come last, or anywhere.
    template <bool NANS, class T> void run(T (&rows)[FEW][LANES]) const {
        for (const auto &pair : pairs) {
            T *const a = rows[pair.first], *const b = rows[pair.second];
#pragma GCC ivdep
            for (int k = 0; k < LANES; k++) {
                const T x = a[k], y = b[k];
                const bool wrong = NANS ? before<T>(y, x) : lt<T>(y, x);
                a[k] = wrong ? y : x;
                b[k] = wrong ? x : y;
            }
        }
    }
};
template <class T> static inline void load_lines(const T *const (&from)[LANES], i64 step, int n, T (&rows)[FEW][LANES]) {
    bool close = true;
    for (int k = 1; k < LANES; k++) close = close && from[k] == from[0] + k;
    if (close) {
        for (int i = 0; i < n; i++) for (int k = 0; k < LANES; k++) rows[i][k] = from[0][i * step + k];
        return;
    }
    for (int k = 0; k < LANES; k++) for (int i = 0; i < n; i++) rows[i][k] = from[k][i * step];
}
// The mean of the middle ones, as NumPy computes it.
template <class M, class T> static inline M middle(T low, T high, bool odd) {
    return odd ? (M)high : ((M)low + (M)high) / (M)2;
}
template <class T> struct Scratch {
    Run &run;
    std::unique_ptr<T[]> held;
    i64 size = 0;
    T *of(i64 n) {
        if (n > size) { held.reset(new T[(size_t)n]); size = n; }
        return held.get();
    }
};
#define SAMPLE 1024
// Puts in order what a sample says lies around some place, and nothing else. Returns the elements
// there and behind it; false where there is NaN.
template <class T> struct Chosen { T first, second; bool is_number; };
template <class T>
static Chosen<T> chosen(const T *p, i64 step, i64 n, i64 place, bool both, Scratch<T> &some) {
    const Unheard unheard{some.run};
    int odd = 0;
    const i64 last = place + both;
    if (n >= 4 * SAMPLE) {
        T sample[SAMPLE];
        for (i64 k = 0; k < SAMPLE; k++) {
            const T x = p[k * (n / SAMPLE) * step];
            odd |= x != x;
            sample[k] = x;
        }
        if (odd) return {T(), T(), false};
        std::sort(sample, sample + SAMPLE);
        const i64 middle = place * SAMPLE / n;
        const bool lowest = middle < 64, highest = middle > SAMPLE - 65;
        const T low = sample[lowest ? 0 : middle - 64], high = sample[highest ? SAMPLE - 1 : middle + 64];
        T *const to = some.of(n);
        i64 m = 0, below = 0;
        for (i64 k = 0; k < n; k++) {
            const T x = p[k * step];
            const bool under = !lowest & lt<T>(x, low), over = !highest & lt<T>(high, x);
            odd |= x != x;
            to[m] = x;
            m += !under & !over;
            below += under;
        }
        if (odd) return {T(), T(), false};
        if (place >= below && last < below + m) {
            std::nth_element(to, to + (place - below), to + m);
            const T first = to[place - below];
            return {first, both ? *std::min_element(to + (place - below) + 1, to + m) : first, true};
        }
    }
    T *const to = some.of(n);
    for (i64 k = 0; k < n; k++) { to[k] = p[k * step]; odd |= to[k] != to[k]; }
    if (odd) return {T(), T(), false};
    std::nth_element(to, to + place, to + n);
    return {to[place], both ? *std::min_element(to + place + 1, to + n) : to[place], true};
}
template <class M, class T> static inline M median(const T *p, i64 step, i64 n, Scratch<T> &some) {
    NEED(n > 0);
    const bool odd = n % 2;
    const Chosen<T> two = chosen(p, step, n, odd ? n / 2 : n / 2 - 1, !odd, some);
    if constexpr (std::is_floating_point<T>::value) if (!two.is_number) return (M)NAN;
    return middle<M>(two.first, two.second, odd);
}
template <class M, class T> static inline M median(Run &run, const View<T, 1> &v) {
    Scratch<T> some{run};
    return median<M>(v.p, v.s[0], v.n[0], some);
}
template <class T, int N> static inline void lengths_without(const View<T, N> &v, int axis, i64 (&n)[N - 1]) {
    for (int d = 0; d < N - 1; d++) n[d] = v.n[d < axis ? d : d + 1];
}
template <class M, class T, int N>
static inline Array<M, N - 1> medians(Run &run, const View<T, N> &v, int axis, int type) {
    i64 dims[N - 1];
    lengths_without(v, axis, dims);
    Array<M, N - 1> made = fresh<M, N - 1>(run.spare, dims, type);
    const i64 n = v.n[axis], step = v.s[axis];
    NEED(n > 0);
    if (n > FEW) {
        Scratch<T> some{run};
        each_line(v, v, axis, -1, [&](const T *p, T *, i64 k) { made.p[k] = median<M>(p, step, n, some); });
        return made;
    }
    const bool odd = n % 2;
    const int high = (int)n / 2, low = odd ? high : high - 1;
    const Network network((int)n, low, high);
    T rows[FEW][LANES];
    const T *from[LANES];
    int held = 0;
    i64 begin = 0;
    const auto finish = [&]() {
        if (!held) return;
        for (int k = held; k < LANES; k++) from[k] = from[0];
        T nan[LANES] = {};  // one, where there is any
        {
            const Unheard unheard{run};
            load_lines(from, step, (int)n, rows);
            if constexpr (std::is_floating_point<T>::value)
                for (int i = 0; i < n; i++)
                    for (int k = 0; k < LANES; k++) nan[k] = rows[i][k] != rows[i][k] ? rows[i][k] : nan[k];
            network.run<false>(rows);
        }
        M *to = made.p + begin;
        for (int k = 0; k < held; k++)
            to[k] = nan[k] == nan[k] ? middle<M>(rows[low][k], rows[high][k], odd) : (M)nan[k];
        begin += held;
        held = 0;
    };
    each_line(v, v, axis, -1, [&](const T *p, T *, i64) {
        from[held] = p;
        if (++held == LANES) finish();
    });
    finish();
    return made;
}
// NumPy's straight line between two elements: from whichever of them is nearer.
template <class T> static inline double between(T a, T b, double share) {
    const T apart = (T)(b - a);
    if constexpr (!std::is_floating_point<T>::value) NEED((i64)apart == (i64)b - (i64)a);
    return share >= 0.5 ? (double)b - (double)apart * (1 - share) : (double)a + (double)apart * share;
}
template <class T>
static inline void percentiles_of(const T *p, i64 step, i64 n, const double *shares, i64 count, double *to, i64 by,
    Scratch<T> &some) {
    for (i64 k = 0; k < count; k++) {
        NEED(shares[k] >= 0 && shares[k] <= 1);
        const double place = (double)(n - 1) * shares[k];
        const bool end = place >= (double)(n - 1);
        const i64 first = end ? n - 1 : (i64)place;
        const Chosen<T> two = chosen(p, step, n, first, !end, some);
        to[k * by] = two.is_number ? between(two.first, two.second, end ? place + 1 : place - (double)first) : NAN;
    }
}
// Those of all lines along an axis, one percentile after the other.
template <class T, int N>
static inline void percentiles_along(Run &run, const View<T, N> &v, int axis, const double *shares, i64 count, double *to) {
    i64 by = 1;
    for (int d = 0; d < N; d++) if (d != axis) by *= v.n[d];
    NEED(v.n[axis] > 0);
    Scratch<T> some{run};
    each_line(v, v, axis, -1, [&](const T *p, T *, i64 k) {
        percentiles_of(p, v.s[axis], v.n[axis], shares, count, to + k, by, some);
    });
}
// NumPy says nothing of how zeros of two signs follow each other.
template <class T> static inline bool is_negative_zero(T x) {
    if constexpr (std::is_floating_point<T>::value) return x == 0 && std::signbit(x);
    else return false;
}
template <class T, int N> static inline Array<T, N> in_order(Run &run, const View<T, N> &v, int axis, int type) {
    NEED(lies_in_rows(v));
    const Unheard unheard{run};
    Array<T, N> made = fresh<T, N>(run.spare, v.n, type);
    const i64 n = v.n[axis], step = v.s[axis], below = made.s[axis];
    if (!made.size()) return made;
    int odd = 0;
    each_line(v, v, axis, -1, [&](const T *p, T *, i64) {
        for (i64 i = 0; i < n; i++) odd |= is_negative_zero(p[i * step]);
    });
    NEED(!odd);
    i64 left = made.size() / n, held = 0;
    std::vector<T> line;
    const T *from[LANES];
    T *to[LANES];
    T rows[FEW][LANES];
    const Network network(n <= FEW && left >= LANES / 4 ? (int)n : 0, 0, (int)n - 1);
    const auto finish = [&]() {
        if (!held) return;
        for (i64 k = held; k < LANES; k++) from[k] = from[0];
        load_lines(from, step, (int)n, rows);
        network.run<true>(rows);
        for (i64 k = 0; k < held; k++) for (i64 i = 0; i < n; i++) to[k][i * below] = rows[i][k];
        held = 0;
    };
    each_line(v, made, axis, -1, [&](const T *p, T *q, i64) {
        if (network.n) {
            from[held] = p;
            to[held] = q;
            if (++held == LANES) finish();
            return;
        }
        line.resize((size_t)n);
        for (i64 i = 0; i < n; i++) line[i] = p[i * step];
        std::sort(line.begin(), line.end(), [](T a, T b) { return before<T>(a, b); });
        for (i64 i = 0; i < n; i++) q[i * below] = line[i];
    });
    finish();
    return made;
}
// Those that differ, in order; NaN once.
template <class T> static inline Array<T, 1> distinct(Run &run, const View<T, 1> &v, int type) {
    std::vector<T> all((size_t)v.n[0]);
    for (i64 k = 0; k < v.n[0]; k++) {
        all[k] = v.p[k * v.s[0]];
        NEED(!is_negative_zero(all[k]));
    }
    std::sort(all.begin(), all.end(), [](T a, T b) { return before<T>(a, b); });
    const auto end = std::unique(all.begin(), all.end(), [](T a, T b) { return a == b || (a != a && b != b); });
    const i64 n[1] = {(i64)(end - all.begin())};
    Array<T, 1> made = fresh<T, 1>(run.spare, n, type);
    std::copy(all.begin(), end, made.p);
    return made;
}
