/* Marks what a module shows to the program that opens it. Plain C. */
#ifndef PARALLAX_MODULE_EXPORT_H
#define PARALLAX_MODULE_EXPORT_H

#if defined(_WIN32)
#define PLX_MODULE_EXPORT __declspec(dllexport)
#elif defined(__GNUC__)
#define PLX_MODULE_EXPORT __attribute__((visibility("default")))
#else
#define PLX_MODULE_EXPORT
#endif

#endif
