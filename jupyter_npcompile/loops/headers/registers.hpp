// How much one register has room for.
#pragma once

#if defined(__AVX512F__)
#define LANE_BYTES 64
#elif defined(__AVX__)
#define LANE_BYTES 32
#else
#define LANE_BYTES 16
#endif
#ifdef __AVX__
constexpr bool has_lanes = true;
#else
constexpr bool has_lanes = false;
#endif
