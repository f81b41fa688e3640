// What docs/embedding.md shows.
#define CL_TARGET_OPENCL_VERSION 120
#include "snippets.hpp"

#include <CL/cl.h>

#include <parallax/parallax.hpp>

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "embedding/count.inc"
static_assert(snippets == 3, "a block of docs/embedding.md that no function here has");

bool embedding() {
#include "embedding/1.inc"
    const float middle = amplitude[240 * 640 + 320], beside = amplitude[240 * 640 + 321];   // of nothing at all: a plane wave
    return middle > 0 && beside > 0.99f * middle && beside < 1.01f * middle;
}

bool embedding_jobs() {
    namespace fs = std::filesystem;
    const fs::path before = fs::current_path();
    const fs::path folder = fs::temp_directory_path() /
                            ("parallax-snippets-" + std::to_string(std::chrono::steady_clock::now().time_since_epoch().count()));
    fs::create_directories(folder);
    fs::current_path(folder);
#include "embedding/2.inc"
    const bool good = report.find("\"done\":3") != std::string::npos && fs::exists("smooth/frame2.png");
    fs::current_path(before);
    fs::remove_all(folder);
    return good;
}

[[maybe_unused]] static void borrowed(cl_context context, cl_device_id device, cl_command_queue queue, cl_mem buffer,
                                      const parallax::Array& image_out) {
#include "embedding/3.inc"
}
