// image op other, or image op number. Integers are computed in 64 bits and cut off at the ends of their type; divide, log, exp
// and sqrt give f32 for every image.
#include "prelude/prelude.clh"
#include "common/log.clh"

#define OP_ADD 0
#define OP_SUBTRACT 1
#define OP_MULTIPLY 2
#define OP_DIVIDE 3
#define OP_LOG 4
#define OP_EXP 5
#define OP_ABS 6
#define OP_SQRT 7
#define OP_CLAMP 8
#ifndef OP                 // what is done to each element
#define OP OP_ADD
#endif
#ifndef A                  // type of the image's elements; A_REAL 1: float
#define A float
#define A_REAL 1
#endif
#ifndef A_LOW              // of integers
#define A_LOW 0
#define A_HIGH 0
#endif
#ifndef B                  // A, or anything where there is no second array
#define B A
#endif
#ifndef OUT                // A, or float
#define OUT float
#define OUT_REAL 1
#endif
#ifndef HAS_OTHER          // 0: the second operand is parameters[0]; clamp: parameters[0] to parameters[1]
#define HAS_OTHER 0
#endif

#define PARAMETERS 2
#if OUT_REAL
#define PARAMETER float
INLINE float apply(A a, B b, const float* parameters) {
    const float x = (float)a;
#if OP == OP_LOG
    return log_natural(x);
#elif OP == OP_EXP
    return exp(x);
#elif OP == OP_ABS
    return fabs(x);
#elif OP == OP_SQRT
    return sqrt(x);
#elif OP == OP_CLAMP
    return x < parameters[0] ? parameters[0] : x > parameters[1] ? parameters[1] : x;   // NaN stays
#else
#if HAS_OTHER
    const float y = (float)b;
#else
    const float y = parameters[0];
#endif
    return OP == OP_ADD ? x + y : OP == OP_SUBTRACT ? x - y : OP == OP_MULTIPLY ? x * y : x / y;
#endif
}
#else
#define PARAMETER long64
INLINE OUT saturated(long64 x) { return x < (long64)A_LOW ? (OUT)A_LOW : x > (long64)A_HIGH ? (OUT)A_HIGH : (OUT)x; }
INLINE OUT apply(A a, B b, const long64* parameters) {
    const long64 x = (long64)a;
#if OP == OP_ABS
    return saturated(x < 0 ? -x : x);
#elif OP == OP_CLAMP
    return (OUT)(x < parameters[0] ? parameters[0] : x > parameters[1] ? parameters[1] : x);
#else
#if HAS_OTHER
    const long64 y = (long64)b;
#else
    const long64 y = parameters[0];
#endif
#if OP == OP_MULTIPLY
    if (A_LOW != 0) return saturated(x * y);   // |x| up to 2^31, |y| below 2^32
    if (y < 0) return 0;
    const ulong64 product = (ulong64)x * (ulong64)y;
    return product > (ulong64)A_HIGH ? (OUT)A_HIGH : (OUT)product;
#else
    return saturated(OP == OP_ADD ? x + y : x - y);
#endif
#endif
}
#endif
#include "elementwise/pass.clh"
