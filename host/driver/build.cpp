#include "build.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>

namespace driver {
namespace {

std::vector<unsigned char> binary_of(cl_program program) {
    std::size_t bytes = 0;
    if (clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof bytes, &bytes, nullptr) != CL_SUCCESS || bytes == 0) return {};
    std::vector<unsigned char> binary(bytes);
    unsigned char* place = binary.data();
    if (clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof place, static_cast<void*>(&place), nullptr) != CL_SUCCESS)
        return {};
    return binary;
}

/// How many there are; some drivers compile no sooner.
cl_uint make_kernels(cl_program program) {
    cl_uint kernels = 0;
    if (clCreateKernelsInProgram(program, 0, nullptr, &kernels) != CL_SUCCESS || kernels == 0) return 0;
    std::vector<cl_kernel> list(kernels);
    if (clCreateKernelsInProgram(program, kernels, list.data(), nullptr) != CL_SUCCESS) return 0;
    for (const cl_kernel kernel : list) clReleaseKernel(kernel);
    return kernels;
}

cl_program with_source(const Device& device, const std::string& source, cl_int& status) {
    const char* text = source.data();
    const std::size_t size = source.size();
    return clCreateProgramWithSource(device.context, 1, &text, &size, &status);
}

/// LLVM's code within PoCL's binary: a file, with its size in four bytes before it.
std::vector<unsigned char> code_in(const std::vector<unsigned char>& binary) {
    constexpr std::array<unsigned char, 4> magic{'B', 'C', 0xC0, 0xDE};
    const auto found = std::search(binary.begin(), binary.end(), magic.begin(), magic.end());
    std::uint32_t size = 0;
    if (found == binary.end() || found - binary.begin() < static_cast<std::ptrdiff_t>(sizeof size)) return {};
    std::memcpy(&size, &*found - sizeof size, sizeof size);
    if (size < magic.size() || size > static_cast<std::size_t>(binary.end() - found)) return {};
    return {found, found + size};
}

}  // namespace

Built build(const Device& device, const std::string& source, const std::string& options) {
    Built built;
    const cl_program program = with_source(device, source, built.status);
    if (built.status != CL_SUCCESS) return built;
    built.status = clBuildProgram(program, 1, &device.id, options.c_str(), nullptr, nullptr);
    if (built.status == CL_SUCCESS) {
        make_kernels(program);
        built.binary = binary_of(program);
    }
    clReleaseProgram(program);
    return built;
}

Built build_object(const Device& device, const std::string& source, const std::string& options) {
    Built built;
    const cl_program object = with_source(device, source, built.status);
    if (built.status != CL_SUCCESS) return built;
    built.status = clCompileProgram(object, 1, &device.id, options.c_str(), 0, nullptr, nullptr, nullptr, nullptr);
    if (built.status == CL_SUCCESS) built.binary = code_in(binary_of(object));
    clReleaseProgram(object);
    if (built.binary.empty()) return built;
    const cl_program program = load(device, built.binary, options);
    if (program == nullptr || make_kernels(program) == 0) built.binary.clear();
    if (program != nullptr) clReleaseProgram(program);
    return built;
}

cl_program load(const Device& device, const std::vector<unsigned char>& binary, const std::string& options) {
    const unsigned char* data = binary.data();
    const std::size_t size = binary.size();
    cl_int accepted = CL_SUCCESS, status = CL_SUCCESS;
    const cl_program program = clCreateProgramWithBinary(device.context, 1, &device.id, &size, &data, &accepted, &status);
    if (status != CL_SUCCESS) return nullptr;
    if (accepted == CL_SUCCESS && clBuildProgram(program, 1, &device.id, options.c_str(), nullptr, nullptr) == CL_SUCCESS)
        return program;
    clReleaseProgram(program);
    return nullptr;
}

}  // namespace driver
