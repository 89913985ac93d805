// Products
#pragma once
#include "arrays.hpp"

// out = a @ b for one row a
template <class T, class U, class V>
static inline void add_product(const U *a, i64 sa, i64 n, const View<V, 2> &b, T *out) {
    const i64 m = b.n[1], s = b.s[1];
    for (i64 j = 0; j < m; j++) out[j] = 0;
    for (i64 k = 0; k < n; k++) {
        const T x = (T)a[k * sa];
        const V *row = b.p + k * b.s[0];
        if (s == 1) {
#pragma GCC ivdep
            for (i64 j = 0; j < m; j++) out[j] = out[j] + x * (T)row[j];
        } else {
            for (i64 j = 0; j < m; j++) out[j] = out[j] + x * (T)row[j * s];
        }
    }
}

