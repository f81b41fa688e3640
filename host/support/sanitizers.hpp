// Which sanitizers this is built with: GCC defines a macro, clang answers __has_feature.
//   PARALLAX_ADDRESS_SANITIZER, PARALLAX_THREAD_SANITIZER    1 or 0
// Their own addresses are terabytes: no limit of memory holds beside them.
#pragma once

#if defined(__has_feature)
#define PARALLAX_HAS_FEATURE(name) __has_feature(name)
#else
#define PARALLAX_HAS_FEATURE(name) 0
#endif
#if defined(__SANITIZE_ADDRESS__) || PARALLAX_HAS_FEATURE(address_sanitizer)
#define PARALLAX_ADDRESS_SANITIZER 1
#else
#define PARALLAX_ADDRESS_SANITIZER 0
#endif
#if defined(__SANITIZE_THREAD__) || PARALLAX_HAS_FEATURE(thread_sanitizer)
#define PARALLAX_THREAD_SANITIZER 1
#else
#define PARALLAX_THREAD_SANITIZER 0
#endif
#undef PARALLAX_HAS_FEATURE
