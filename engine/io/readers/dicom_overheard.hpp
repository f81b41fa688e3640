// What a library says on standard error while something is done: of GDCM's JPEG it is the only sign that a stream is damaged.
#pragma once

#include <string>

namespace parallax::io::readers::dicom {

class Overheard {
public:
    /// Throws std::system_error.
    Overheard();
    /// What was said goes on to where standard error went before.
    ~Overheard();
    Overheard(const Overheard&) = delete;
    Overheard& operator=(const Overheard&) = delete;
    /// Since the beginning.
    std::string text() const;

private:
    int kept_ = -1, before_ = -1;
};

}   // namespace parallax::io::readers::dicom
