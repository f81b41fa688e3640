// What is read of a DICOM file that was made by hand, and what is told about it.
#pragma once

#include "io/dicom_by_hand.hpp"
#include "io/support.hpp"

namespace parallax::tests {

template <class T>
std::vector<T> read(const Folder& folder, const Dicom& file) {
    put(folder / "a.dcm", file.bytes());
    return values_of<T>(io::read(folder / "a.dcm"));
}

/// All that is told about the file.
inline std::string told(const Folder& folder, const Dicom& file) {
    put(folder / "a.dcm", file.bytes());
    std::string all;
    for (const io::Warning& warning : io::info(folder / "a.dcm").warnings) all += warning.text + "\n";
    return all;
}

inline bool has(const std::string& text, const std::string& part) {
    INFO(text);
    const bool found = text.find(part) != std::string::npos;
    CHECK(found);
    return found;
}

}   // namespace parallax::tests
