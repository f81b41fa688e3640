// Classes within exported ones are exported with them, unless they are marked so.
#pragma once

#if defined(__GNUC__) && !defined(_WIN32)
#define PARALLAX_LOCAL __attribute__((visibility("hidden")))
#else
#define PARALLAX_LOCAL
#endif
