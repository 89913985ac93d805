// What nearly every loop uses: it may have been compiled before, see `loop_toolchain.precompile`.
#pragma once
#include "basics.hpp"
#include "piles.hpp"
#include "complex.hpp"
#include "memory.hpp"
#include "arrays.hpp"
#include "indices.hpp"
#include "numbers.hpp"
#include "choices.hpp"
#include "runs.hpp"
#include "arguments.hpp"
#include "results.hpp"
