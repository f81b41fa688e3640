// Memory of the operating system in its large pages, for a driver to pin. Drivers that allocate by themselves take small pages,
// one after another: an H200's takes 7 ms for 16 MB, of which it needs 1 ms where the memory is there.
#pragma once

#include <cstddef>
#include <memory>

namespace parallax::host {

class LargePages {
public:
    /// Nothing below a few pages, and where the system has none to give: then the driver's own memory does.
    static std::unique_ptr<LargePages> make(std::size_t bytes) noexcept;
    ~LargePages();
    LargePages(const LargePages&) = delete;
    LargePages& operator=(const LargePages&) = delete;

    void* data() const noexcept { return data_; }
    std::size_t bytes() const noexcept { return bytes_; }   ///< whole pages
    /// Never gives it back: something may still write there.
    void leave() noexcept { data_ = nullptr; }

private:
    LargePages(void* data, std::size_t bytes) : data_(data), bytes_(bytes) {}
    void* data_;
    std::size_t bytes_;
};

}   // namespace parallax::host
