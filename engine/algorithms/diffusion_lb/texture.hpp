// Image objects of OpenCL, through the host runtime's private door: only the variant `image` needs them.
#pragma once

#include "core/plan.hpp"
#include "opencl/native.hpp"

#include <initializer_list>
#include <string>
#include <utility>

namespace parallax::engine::diffusion_lb {

/// A two-dimensional image of floats, one or four to a texel. Freed with the object.
class Texture {
public:
    Texture() = default;
    Texture(host::Context&, std::int64_t width, std::int64_t height, bool four);
    ~Texture();
    Texture(const Texture&) = delete;
    Texture& operator=(const Texture&) = delete;
    Texture(Texture&& other) noexcept : memory_(std::exchange(other.memory_, nullptr)) {}
    Texture& operator=(Texture&& other) noexcept {
        std::swap(memory_, other.memory_);
        return *this;
    }
    const cl_mem& handle() const noexcept { return memory_; }

private:
    cl_mem memory_ = nullptr;
};

/// An argument of a kernel: an image, a buffer or a value, which it refers to.
struct TextureArg {
    TextureArg(const Texture& t) : data(&t.handle()), size(sizeof(cl_mem)) {}
    TextureArg(const host::Buffer& b) : buffer(host::opencl::memory_handle(b)), size(sizeof(cl_mem)) {}
    TextureArg(const std::int32_t& v) : data(&v), size(sizeof v) {}
    TextureArg(const float& v) : data(&v), size(sizeof v) {}
    const void* value() const noexcept { return data != nullptr ? data : &buffer; }

    const void* data = nullptr;
    cl_mem buffer = nullptr;
    std::size_t size;
};

/// Empty, or why images of this size and kind cannot be had.
std::string textures_why_not(host::Context&, std::int64_t width, std::int64_t height);

void launch_with_textures(Execution&, std::string_view stage, host::Kernel&, host::NDRange groups, host::NDRange local,
                          std::initializer_list<TextureArg>);

}  // namespace parallax::engine::diffusion_lb
