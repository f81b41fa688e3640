// What docs/peers.md shows: a program that tests/compare/programs_test.cpp has beside others in a study.
#include "peers/count.inc"
static_assert(snippets == 1, "a block of docs/peers.md that is not here");

// A block's first line is its #include, which extract.cmake leaves to us.
#include "parallax/peer.hpp"

#include <cstdint>
#include <memory>
#include <numeric>
#include <string>

#include "peers/1.inc"
