// Elements of one type as another. Integers are cut off at the ends of the type; f32 goes to the nearest, half to even, NaN to 0.
// WINDOWED: parameters[0] and all below become 0, parameters[2] and all above the largest integer or 1, and what lies between
// (a - parameters[0]) * parameters[1], in f32; NaN stays NaN in f32.
#include "prelude/prelude.clh"
#include "common/nearest.clh"

#ifndef A                  // type of the image's elements; A_REAL 1: float
#define A float
#define A_REAL 1
#endif
#ifndef OUT                // type of the result; OUT_REAL 1: float; else its range and bits
#define OUT uchar
#define OUT_REAL 0
#define OUT_LOW 0
#define OUT_HIGH UCHAR_MAX
#define OUT_BITS 8
#endif
#ifndef WINDOWED           // 1: a window of values becomes the range of OUT
#define WINDOWED 0
#endif
#ifndef CUT_LOW            // 1: an integer A may be below OUT_LOW
#define CUT_LOW 1
#endif
#ifndef CUT_HIGH           // 1: an integer A may be above OUT_HIGH
#define CUT_HIGH 1
#endif
#define B uchar
#define PARAMETER float
#if WINDOWED
#define PARAMETERS 3
#else
#define PARAMETERS 0
#endif

// No branches, so that compilers for CPUs make vectors of it.
#if OUT_REAL
#if WINDOWED
INLINE float apply(A a, B b, const float* parameters) {
    const float x = (float)a, scaled = (x - parameters[0]) * parameters[1];
    const float inside = scaled < 1.0f ? scaled : 1.0f, cut = x > parameters[0] ? (x >= parameters[2] ? 1.0f : inside) : 0.0f;
    return x == x ? cut : x;
}
#else
INLINE float apply(A a, B b, const float* parameters) { return (float)a; }
#endif
#elif WINDOWED
INLINE OUT apply(A a, B b, const float* parameters) {
    const float x = (float)a, scaled = (x - parameters[0]) * parameters[1];
    const float inside = scaled < (float)OUT_HIGH ? scaled : (float)OUT_HIGH;
    return (OUT)(int)nearest(x > parameters[0] ? (x >= parameters[2] ? (float)OUT_HIGH : inside) : 0.0f);
}
#elif A_REAL
INLINE OUT apply(A a, B b, const float* parameters) {
    const float low = a > (float)OUT_LOW ? a : a == a ? (float)OUT_LOW : 0.0f;
#if OUT_BITS < 32
    return (OUT)(int)nearest(low < (float)OUT_HIGH ? low : (float)OUT_HIGH);
#else   // (float)OUT_HIGH is one more than OUT_HIGH
    return low < (float)OUT_HIGH ? (OUT)rint(low) : (OUT)OUT_HIGH;
#endif
}
#else
// Compared as they are: rusticl 22.3 takes an int that is made 64 bits wide for larger than any bound.
INLINE OUT apply(A a, B b, const float* parameters) {
    A cut = a;
#if CUT_LOW
    cut = cut < (A)OUT_LOW ? (A)OUT_LOW : cut;
#endif
#if CUT_HIGH
    cut = cut > (A)OUT_HIGH ? (A)OUT_HIGH : cut;
#endif
    return (OUT)cut;
}
#endif
#include "elementwise/pass.clh"
