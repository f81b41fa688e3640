// The image where the mask is not 0, parameters[0] elsewhere.
#include "prelude/prelude.clh"

#ifndef A                  // type of the image's elements
#define A float
#endif
#ifndef B                  // type of the mask's
#define B uchar
#endif
#ifndef OUT                // A
#define OUT A
#endif
#ifndef PAIRING            // which element of the mask belongs to an element (pass.clh)
#define PAIRING PAIRING_SAME
#endif
#define PARAMETER A
#define PARAMETERS 1

INLINE OUT apply(A a, B b, const PARAMETER* parameters) { return b != 0 ? a : parameters[0]; }
#include "elementwise/pass.clh"
