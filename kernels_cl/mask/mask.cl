// The image where the mask is not 0, parameters[0] elsewhere.
#include "prelude/prelude.clh"

#ifndef A
#define A float
#endif
#ifndef B
#define B uchar
#endif
#ifndef OUT                // A
#define OUT A
#endif
#ifndef PAIRING
#define PAIRING 1
#endif
#define PARAMETER A
#define PARAMETERS 1

INLINE OUT apply(A a, B b, const PARAMETER* parameters) { return b != 0 ? a : parameters[0]; }
#include "elementwise/stream.clh"
