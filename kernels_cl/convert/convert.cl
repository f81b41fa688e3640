// Elements of one type as another. Integers are cut off at the ends of the type; f32 goes to the nearest, half to even, NaN to 0.
// WINDOWED: parameters[0] and all below become 0, parameters[2] and all above the largest integer or 1, and what lies between
// (a - parameters[0]) * parameters[1], in f32; NaN stays NaN in f32.
#include "prelude/prelude.clh"

#ifndef A
#define A float
#define A_REAL 1
#endif
#ifndef OUT
#define OUT uchar
#define OUT_REAL 0
#define OUT_LOW 0
#define OUT_HIGH UCHAR_MAX
#endif
#ifndef WINDOWED
#define WINDOWED 0
#endif
#define B uchar
#define PARAMETER float

#if WINDOWED
#if OUT_REAL
#define TOP 1.0f
#else
#define TOP OUT_HIGH
#endif
INLINE OUT apply(A a, B b, GLOBAL const float* parameters) {
    const float x = (float)a, scaled = (x - parameters[0]) * parameters[1];
    if (x >= parameters[2]) return x > parameters[0] ? (OUT)TOP : (OUT)0;
#if OUT_REAL
    return x > parameters[0] ? fmin(scaled, 1.0f) : x == x ? 0.0f : x;
#else
    return x > parameters[0] ? (OUT)fmin(rint(scaled), (float)OUT_HIGH) : (OUT)0;
#endif
}
#elif OUT_REAL
INLINE OUT apply(A a, B b, GLOBAL const float* parameters) { return (float)a; }
#elif A_REAL
INLINE OUT apply(A a, B b, GLOBAL const float* parameters) {
    if (!(a > (float)OUT_LOW)) return a == a ? (OUT)OUT_LOW : (OUT)0;
    return a < (float)OUT_HIGH ? (OUT)rint(a) : (OUT)OUT_HIGH;   // (float)OUT_HIGH of 32 bits is one more
}
#else
INLINE OUT apply(A a, B b, GLOBAL const float* parameters) {
    const long64 x = (long64)a;
    return x < (long64)OUT_LOW ? (OUT)OUT_LOW : x > (long64)OUT_HIGH ? (OUT)OUT_HIGH : (OUT)x;
}
#endif
#include "elementwise/stream.clh"
