// Numbers as C writes them, in a program that has another locale.
#pragma once

namespace parallax::host {

/// While it lives, this thread's C functions write and read "1.5", whatever locale the host application has set. For libraries
/// that print numbers into kernels.
class PlainNumbers {
public:
    PlainNumbers();
    ~PlainNumbers();
    PlainNumbers(const PlainNumbers&) = delete;
    PlainNumbers& operator=(const PlainNumbers&) = delete;

private:
    void* before_ = nullptr;
};

}  // namespace parallax::host
