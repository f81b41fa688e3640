// What the shared library shows; everything else in it is hidden. Programs that link the static library on Windows define
// PARALLAX_STATIC; the CMake targets do it for them.
#pragma once

#if defined(_WIN32)
#if defined(PARALLAX_BUILDING)
#define PARALLAX_API __declspec(dllexport)
#elif defined(PARALLAX_STATIC)
#define PARALLAX_API
#else
#define PARALLAX_API __declspec(dllimport)
#endif
#elif defined(__GNUC__)
#define PARALLAX_API __attribute__((visibility("default")))
#else
#define PARALLAX_API
#endif
