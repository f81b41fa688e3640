// What OME-XML says, as far as it is followed: images with their axes, distances and channels, and which pages of which files
// their planes are.
#pragma once

#include <cstdint>

#include "io/tiff_describe.hpp"

namespace parallax::io::tiff {

/// A file as it is named there. Either may be empty.
struct OmeFile {
    std::string name, uuid;
};

struct OmeImage {
    std::vector<std::uint32_t> files{};     ///< that have planes of it, of OmeWords::files or `here`, each once
    std::vector<std::uint32_t> unpaged{};   ///< those of them where a run of planes does not say at which page it begins
    bool inside = false;                    ///< its pixels stand in the words themselves (BinData)
};

struct OmeWords {
    static constexpr std::uint32_t here = UINT32_MAX;   ///< the file that has these words

    std::string problem{};          ///< why they are not followed; empty: they are
    std::string uuid{};             ///< of the file that has them; empty: not said
    bool elsewhere = false;         ///< they stand in another file, and this says in which
    OmeFile other{};                ///< that
    std::vector<OmeFile> files{};   ///< that are named, each once
    std::vector<OmeImage> images{};
};

/// Whether a description is meant to be OME-XML.
bool is_ome(std::string_view text);
/// All but the planes. UTF-8.
OmeWords read_ome(std::string_view text);
/// One image; `channels`: side by side in each pixel of its pages.
Description describe_ome(std::string_view text, std::int64_t channels, std::int64_t series);
/// UUIDs are the same with and without "urn:uuid:", and in other letters' case.
bool same_uuid(std::string_view, std::string_view);

}   // namespace parallax::io::tiff
