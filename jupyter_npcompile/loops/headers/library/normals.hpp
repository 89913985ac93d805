// Normal numbers: the ziggurat of NumPy's library, whose tables it is asked for
#pragma once
#include "library/random.hpp"

extern "C" double random_standard_normal(bitgen_t *);

// Of 64 bits the lowest eight choose a layer, the next one is a sign, and 52 more are a place in the
// layer. Nearly all places lie in its inner part, where the number is the place times a width: there
// the library takes a branch on the sign that nobody can foresee, and 4.7 ns instead of 1.5.
struct Normals {
    double width[256];
    uint64_t inner[256];  // places from there on are the library's
    bool is_known;        // whether it does as described

    // A stream of given bits, which tells how often it is asked; or of them and another one's.
    struct Given {
        uint64_t bits;
        i64 asked;
        bitgen_t *after;
        static uint64_t next(void *state) {
            Given &g = *(Given *)state;
            if (!g.asked++) return g.bits;
            return g.after ? g.after->next_uint64(g.after->state) : 0;
        }
        static uint32_t next_half(void *state) {
            Given &g = *(Given *)state;
            g.asked++;
            return g.after ? g.after->next_uint32(g.after->state) : 0;
        }
        static double next_double(void *state) {
            Given &g = *(Given *)state;
            g.asked++;
            return g.after ? g.after->next_double(g.after->state) : 0.5;
        }
    };
    static double asked(Given &g) {
        bitgen_t stream = {&g, Given::next, Given::next_half, Given::next_double, Given::next};
        return random_standard_normal(&stream);
    }
    // Whether the library needs nothing but these bits, and what it makes of them.
    static bool is_inner(uint64_t bits, double &x) {
        Given g = {bits, 0, nullptr};
        x = asked(g);
        return g.asked == 1;
    }
    static uint64_t bits_of(uint64_t layer, uint64_t place) { return place << 9 | layer; }
    static uint64_t place_of(uint64_t bits) { return bits >> 9 & (((uint64_t)1 << 52) - 1); }
    double made(uint64_t bits) const {
        const double x = (double)(i64)place_of(bits) * width[bits & 255];
        uint64_t made;
        std::memcpy(&made, &x, sizeof made);
        made ^= (bits >> 8 & 1) << 63;
        double signed_;
        std::memcpy(&signed_, &made, sizeof signed_);
        return signed_;
    }
    Normals() : is_known(true) {
        double x;
        for (uint64_t layer = 0; layer < 256; layer++) {
            uint64_t low = 0, high = (uint64_t)1 << 52;  // inner, and not inner
            if (!is_inner(bits_of(layer, 1), width[layer])) { width[layer] = 0; inner[layer] = 0; continue; }
            while (high - low > 1) {
                const uint64_t middle = low + (high - low) / 2;
                (is_inner(bits_of(layer, middle), x) ? low : high) = middle;
            }
            inner[layer] = high;
        }
        uint64_t bits = 0x9e3779b97f4a7c15;
        for (int k = 0; k < 4096 && is_known; k++) {
            bits ^= bits << 13; bits ^= bits >> 7; bits ^= bits << 17;
            if (place_of(bits) >= inner[bits & 255]) continue;
            const double mine = made(bits);
            is_known = is_inner(bits, x) && !std::memcmp(&x, &mine, sizeof x);
        }
    }
};
static inline const Normals &normals() { static const Normals all; return all; }
static inline double random_standard_normal(const Source &s) {
    const Normals &all = normals();
    if (!all.is_known) return random_standard_normal(s.bits);
    const uint64_t bits = s.bits->next_uint64(s.bits->state);
    if (__builtin_expect(Normals::place_of(bits) < all.inner[bits & 255], 1)) return all.made(bits);
    Normals::Given rest = {bits, 0, s.bits};
    return Normals::asked(rest);
}
static inline double random_near(const Source &s, double middle, double scale) {
    NEED(!math::signbit(scale) && scale == scale);
    return middle + scale * random_standard_normal(s);
}
