// 255 where an element is above parameters[0], 0 elsewhere; NaN is not above anything.
#include "prelude/prelude.clh"

#ifndef A                  // type of the image's elements; A_REAL 1: float
#define A uchar
#define A_REAL 0
#endif
#define B uchar
#define PARAMETERS 1
#define OUT uchar
#if A_REAL
#define PARAMETER float
#else
#define PARAMETER long64   // a threshold may lie outside the type
#endif

INLINE uchar apply(A a, B b, const PARAMETER* parameters) { return (PARAMETER)a > parameters[0] ? (uchar)255 : (uchar)0; }
#include "elementwise/pass.clh"
