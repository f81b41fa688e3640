// Loops over many elements in the widest instructions that the processor of the moment has. Without contraction of products and
// sums: results are those of every other processor.
#pragma once

#if defined(__x86_64__) && defined(__GLIBC__) && defined(__GNUC__) && !defined(__clang__) && !defined(__SANITIZE_ADDRESS__) && \
    !defined(__SANITIZE_THREAD__)
/// Before a function that is no template; what it calls is inlined where it is PARALLAX_INLINED.
#define PARALLAX_WIDE __attribute__((target_clones("avx2", "default")))
/// Where no number is floating: with instructions that would fuse a product and a sum.
#define PARALLAX_WIDE_INTEGERS __attribute__((target_clones("bmi2", "default")))
#define PARALLAX_INLINED __attribute__((always_inline)) inline
#else
#define PARALLAX_WIDE
#define PARALLAX_WIDE_INTEGERS
#define PARALLAX_INLINED inline
#endif
