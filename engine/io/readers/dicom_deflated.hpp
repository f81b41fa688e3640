// A deflated file, unpacked as far as its pixels explain. GDCM unpacks and keeps whatever an element before them holds, which may
// be a thousand times the file's length.
#pragma once

#include <gdcmReader.h>
#include <sys/resource.h>

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "io/readers/serve.hpp"

namespace parallax::io::readers::dicom {

/// The syntax of such a file.
constexpr const char* deflated = "1.2.840.10008.1.2.1.99";

/// A DICOM file with the same elements up to its pixels, which is not packed; nothing where the file is not deflated. Throws
/// Problem where they are more than its pixels explain, or end before them, or are too many for the room that there is for them.
std::optional<std::string> unpack_deflated(const std::filesystem::path&, std::uint64_t bytes);

/// How many bytes GDCM may take for what it makes of so many that were unpacked, from a file of `bytes`.
std::uint64_t room_for_unpacked(std::uint64_t unpacked, std::uint64_t bytes);

/// Reads it up to a tag. Throws Problem where that is not to be done, for which a want of memory may be the reason.
bool read_unpacked(gdcm::Reader&, const gdcm::Tag&);

/// As many bytes of memory beside those that are held, for as long as it lives; then as many as before.
class RoomFor {
public:
    explicit RoomFor(std::uint64_t bytes);
    ~RoomFor();
    RoomFor(const RoomFor&) = delete;
    RoomFor& operator=(const RoomFor&) = delete;

private:
    std::optional<rlimit> before_;
};

}   // namespace parallax::io::readers::dicom
