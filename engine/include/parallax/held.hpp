// What a public object holds of the library: used after the object was moved from, it is an error and no crash.
#pragma once

#include "parallax/export.hpp"

#include <utility>

namespace parallax::detail {

/// Throws ConfigError.
[[noreturn]] PARALLAX_API void used_after_move();

template <class Pointer>
class Held {
public:
    Held() = default;
    Held(Pointer pointer) : pointer_(std::move(pointer)) {}
    /// False after a move.
    explicit operator bool() const noexcept { return pointer_ != nullptr; }
    const Pointer& checked() const {
        if (!pointer_) used_after_move();
        return pointer_;
    }
    auto* operator->() const { return checked().get(); }
    auto& operator*() const { return *checked(); }
    operator const Pointer&() const { return checked(); }

private:
    Pointer pointer_;
};

}  // namespace parallax::detail
