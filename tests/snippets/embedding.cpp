// What docs/embedding.md shows, compiled, and run where it stands for itself.
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

#include <parallax/parallax.hpp>

#include <cstdint>
#include <cstdio>
#include <vector>

#include "embedding/count.inc"
static_assert(snippets == 2, "a block of docs/embedding.md that no function here has");

namespace {

bool plain() {
#include "embedding/1.inc"
    const float middle = amplitude[240 * 640 + 320], beside = amplitude[240 * 640 + 321];   // of nothing at all: a plane wave
    return middle > 0 && beside > 0.99f * middle && beside < 1.01f * middle;
}

[[maybe_unused]] void borrowed(cl_context context, cl_device_id device, cl_command_queue queue, cl_mem buffer, const parallax::Array& image_out) {
#include "embedding/2.inc"
}

}  // namespace

int main() {
    const bool good = plain();
    std::puts(good ? "the snippets do what they say" : "the first snippet gives something else");
    return good ? 0 : 1;
}
