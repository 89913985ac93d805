
// ---- what stands between kernels: products of matrices, and the functions of NumPy's own library
#include <cmath>
#include <cstdint>
#include <cstring>

// Where its functions are, filled by who loads this: see `library_table.py`.
extern "C" __attribute__((visibility("default"))) void* npcompile_library[18] = {};

typedef void (*npcompile_dgemm)(int order, int left, int right, int64_t m, int64_t n, int64_t k,
    double alpha, const double* a, int64_t lda, const double* b, int64_t ldb, double beta, double* c,
    int64_t ldc);
typedef void (*npcompile_sgemm)(int order, int left, int right, int64_t m, int64_t n, int64_t k,
    float alpha, const float* a, int64_t lda, const float* b, int64_t ldb, float beta, float* c,
    int64_t ldc);
typedef void (*npcompile_dgemv)(int order, int turned, int64_t m, int64_t n, double alpha,
    const double* a, int64_t lda, const double* x, int64_t step, double beta, double* y, int64_t other);
typedef void (*npcompile_sgemv)(int order, int turned, int64_t m, int64_t n, float alpha,
    const float* a, int64_t lda, const float* x, int64_t step, float beta, float* y, int64_t other);
typedef void (*npcompile_dgetrf)(const int64_t* m, const int64_t* n, double* a, const int64_t* lda,
    int64_t* pivots, int64_t* info);
typedef void (*npcompile_dgetrs)(const char* turned, const int64_t* n, const int64_t* columns,
    const double* a, const int64_t* lda, const int64_t* pivots, double* b, const int64_t* ldb,
    int64_t* info);
typedef void (*npcompile_dpotrf)(const char* half, const int64_t* n, double* a, const int64_t* lda,
    int64_t* info);
typedef void (*npcompile_dtrsm)(int order, int side, int half, int turned, int unit, int64_t m,
    int64_t n, double alpha, const double* a, int64_t lda, double* b, int64_t ldb);

enum { NPCOMPILE_ROWS = 101, NPCOMPILE_COLUMNS = 102, NPCOMPILE_PLAIN = 111, NPCOMPILE_TURNED = 112 };

static inline void npcompile_gemm(int left, int right, int64_t m, int64_t n, int64_t k, const double* a,
    int64_t lda, const double* b, int64_t ldb, double* c) {
  ((npcompile_dgemm)npcompile_library[0])(NPCOMPILE_ROWS, left, right, m, n, k, 1.0, a, lda, b, ldb,
      0.0, c, n);
}
static inline void npcompile_gemm(int left, int right, int64_t m, int64_t n, int64_t k, const float* a,
    int64_t lda, const float* b, int64_t ldb, float* c) {
  ((npcompile_sgemm)npcompile_library[1])(NPCOMPILE_ROWS, left, right, m, n, k, 1.0f, a, lda, b, ldb,
      0.0f, c, n);
}
// The size is that of the matrix as it lies in memory.
static inline void npcompile_gemv(int turned, int64_t rows, int64_t columns, const double* a, int64_t lda,
    const double* x, int64_t step, double* y) {
  ((npcompile_dgemv)npcompile_library[2])(NPCOMPILE_ROWS, turned, rows, columns, 1.0, a, lda, x, step,
      0.0, y, 1);
}
static inline void npcompile_gemv(int turned, int64_t rows, int64_t columns, const float* a, int64_t lda,
    const float* x, int64_t step, float* y) {
  ((npcompile_sgemv)npcompile_library[3])(NPCOMPILE_ROWS, turned, rows, columns, 1.0f, a, lda, x, step,
      0.0f, y, 1);
}

// Lines are transformed by a loop of NumPy's, of which all strides are in bytes.
typedef void (*npcompile_loop)(char** values, const int64_t* sizes, const int64_t* steps, void* data);
static inline void npcompile_lines(int which, const char* from, char* to, double factor, int64_t count,
    int64_t given, int64_t made, int64_t step, int64_t other, int64_t along, int64_t across) {
  char* values[3] = {(char*)from, (char*)&factor, to};
  const int64_t sizes[3] = {count, given, made}, steps[5] = {step, 0, other, along, across};
  void** entry = npcompile_library + 8 + 2 * which;
  ((npcompile_loop)entry[0])(values, sizes, steps, entry[1]);
}
struct npcompile_complex {
  double re, im;
  npcompile_complex& operator+=(const npcompile_complex& other) {
    re += other.re;
    im += other.im;
    return *this;
  }
};

// a @ b into rows, for matrices so small that a call would take longer. Strides are in elements.
template <typename T, int64_t m, int64_t k, int64_t n, int64_t ai, int64_t aj, int64_t bi, int64_t bj>
static inline void npcompile_product(const T* __restrict__ a, const T* __restrict__ b, T* __restrict__ c) {
  if constexpr (k == 1) {  // of any size: without memory of its own
    for (int64_t i = 0; i < m; ++i)
      for (int64_t l = 0; l < n; ++l) c[i * n + l] = a[i * ai] * b[l * bj];
  } else if constexpr (n == 1 && ai == 1 && m > 1) {  // columns of a
    T sum[m] = {};
    for (int64_t j = 0; j < k; ++j)
      for (int64_t i = 0; i < m; ++i) sum[i] += a[i + j * aj] * b[j * bi];
    for (int64_t i = 0; i < m; ++i) c[i] = sum[i];
  } else if constexpr (n > 1 && bj == 1) {  // rows of b
    for (int64_t i = 0; i < m; ++i) {
      T sum[n] = {};
      for (int64_t j = 0; j < k; ++j) {
        const T factor = a[i * ai + j * aj];
        for (int64_t l = 0; l < n; ++l) sum[l] += factor * b[j * bi + l];
      }
      for (int64_t l = 0; l < n; ++l) c[i * n + l] = sum[l];
    }
  } else {  // by eights: one sum would wait for the one before
    constexpr int64_t lanes = 8, whole = k / lanes * lanes;
    for (int64_t i = 0; i < m; ++i)
      for (int64_t l = 0; l < n; ++l) {
        const T *x = a + i * ai, *y = b + l * bj;
        T sum[lanes] = {}, rest = 0;
        for (int64_t j = 0; j < whole; j += lanes)
          for (int64_t p = 0; p < lanes; ++p) sum[p] += x[(j + p) * aj] * y[(j + p) * bi];
        for (int64_t j = whole; j < k; ++j) rest += x[j * aj] * y[j * bi];
        c[i * n + l] = ((sum[0] + sum[4]) + (sum[1] + sum[5])) + ((sum[2] + sum[6]) + (sum[3] + sum[7])) + rest;
      }
  }
}

// Whoever factorises gets 32 bits for each place, and the library has 64.
static inline void npcompile_factor(double* a, int64_t n, int32_t* pivots, int64_t* wide, int32_t* info) {
  int64_t found = 0;
  ((npcompile_dgetrf)npcompile_library[4])(&n, &n, a, &n, wide, &found);
  for (int64_t k = 0; k < n; ++k) pivots[k] = (int32_t)wide[k];
  *info = (int32_t)found;
}
static inline void npcompile_resolve(const char* turned, const double* lu, const int32_t* pivots, int64_t n,
    double* x, int64_t columns, int64_t* wide) {
  int64_t found = 0;
  for (int64_t k = 0; k < n; ++k) wide[k] = pivots[k];
  ((npcompile_dgetrs)npcompile_library[5])(turned, &n, &columns, lu, &n, wide, x, &n, &found);
}
static inline void npcompile_cholesky(double* a, int64_t n, int32_t* info) {
  int64_t found = 0;
  ((npcompile_dpotrf)npcompile_library[6])("L", &n, a, &n, &found);
  for (int64_t j = 1; j < n; ++j)
    for (int64_t i = 0; i < j; ++i) a[j * n + i] = 0.0;
  *info = (int32_t)found;
}
static inline void npcompile_triangular(int side, int half, int turned, int unit, int64_t m, int64_t n,
    const double* a, int64_t lda, double* x) {
  ((npcompile_dtrsm)npcompile_library[7])(NPCOMPILE_COLUMNS, side, half, turned, unit, m, n, 1.0, a, lda, x, m);
}
