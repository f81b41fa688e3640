// Programs from text and from binaries.
#pragma once

#include <CL/cl.h>

#include <string>
#include <vector>

namespace driver {

/// A device that is open.
struct Device {
    cl_context context = nullptr;
    cl_device_id id = nullptr;
};

struct Built {
    cl_int status = CL_SUCCESS;
    std::vector<unsigned char> binary;
};

/// By the driver's own way to a binary.
Built build(const Device&, const std::string& source, const std::string& options);

/// For PoCL, which compiles every kernel for work-groups of any size when it is asked for a program's binary, and each again for
/// the size that is launched. Its binary of a program that is compiled and not linked costs nothing; the code in it, LLVM's, is
/// taken back as a binary of its own, and PoCL keeps what becomes of that. Nothing in `binary` where this PoCL has another way:
/// build() has one for it, too.
Built build_object(const Device&, const std::string& source, const std::string& options);

/// Null where the driver does not take it.
cl_program load(const Device&, const std::vector<unsigned char>& binary, const std::string& options);

}  // namespace driver
