// Functions of a library that is opened when one of them is called for the first time, with the types that its header gives them.
#pragma once

#include <cstddef>

namespace parallax::host {

/// A function's name as part of a type.
template <std::size_t n>
struct FunctionName {
    char text[n];
    consteval FunctionName(const char (&from)[n]) {
        for (std::size_t i = 0; i < n; ++i) text[i] = from[i];
    }
};

/// call() has the type of `Function`. Library::find(name) gives the function's address once; where that is null, each call is
/// what Library::answer<Result>(name) returns or throws.
template <class Library, FunctionName name, class Function>
struct Late;
template <class Library, FunctionName name, class Result, class... Arguments>
struct Late<Library, name, Result(Arguments...)> {
    static Result call(Arguments... arguments) {
        static const auto function = reinterpret_cast<Result (*)(Arguments...)>(Library::find(name.text));
        return function != nullptr ? function(arguments...) : Library::template answer<Result>(name.text);
    }
};

}  // namespace parallax::host
