// What programs write into a TIFF's description about the stack that it is: OME-XML, ImageJ's lines, tifffile's JSON.
#pragma once

#include "io/io.hpp"

#include <string_view>

namespace parallax::io::tiff {

/// Pages of OME-XML that follow each other, and so do their planes.
struct PlaneRun {
    std::int64_t page = 0;    ///< the first, of all directories of its file
    std::int64_t plane = 0;   ///< which that is, the last axis fastest; -1: one beyond the sizes
    std::int64_t count = 1;
    std::uint32_t file = 0;   ///< of OmeWords::files; OmeWords::here: the file that has the words
    bool counted = true;      ///< it says how many
};

/// Axes of the pages, slowest first, and distances, as far as the description tells them.
struct Description {
    std::string by;                                ///< "OME-XML", "ImageJ", "tifffile"; empty: a description in words, or none
    std::int64_t images = 1;                       ///< pictures that it speaks of
    std::vector<ArrayDesc::Extent> axes{};         ///< their axes, none of one index; empty: it names none
    bool imagej = false;   ///< its lookup tables are for display, and resolution counts pixels in its own unit
    bool signed_by_offset = false;   ///< ImageJ's numbers of 16 bits with a sign: 32768 more is stored
    std::string unit{};                            ///< "um", "mm", ...; empty: it says nothing of lengths
    double x = 0, y = 0, z = 0, t = 0;             ///< spacings in that unit, t in seconds; 0: not said
    std::vector<std::string> warnings{};           ///< what cannot be followed
    std::vector<std::string> channels{};           ///< names of them; empty: none are told
    std::int64_t series = 1;                       ///< images of OME-XML, each with pages of its own
    std::vector<PlaneRun> planes{};                ///< where OME-XML places them; empty: it does not say
    bool in_order = false;                         ///< those are all, one behind the other from the first page on
    std::int64_t width = 0, height = 0;            ///< of OME-XML's pixels; 0: not said
    std::string type{};                            ///< likewise: "uint16"; empty: not said
    std::int64_t first = 0;                        ///< which of all directories is the first of the image that is described
};

/// What each page is: some descriptions count it among their axes.
struct PageShape {
    std::int64_t height = 0, width = 0, channels = 1;
    bool planes = false;   ///< channels stand one behind the other
    bool u16 = false;      ///< of whole numbers without a sign, of 16 bits
};

/// A number of a description, called `name` there, for which `otherwise` stands where nothing is said. What is no number to its end
/// ("2,5") is told, each name once, and counts as if nothing were said.
double real_from(std::string_view name, std::string_view text, double otherwise, std::vector<std::string>& warnings);
std::int64_t whole_from(std::string_view name, std::string_view text, std::int64_t otherwise, std::vector<std::string>& warnings);

/// Of two sizes, without an overflow: what is so large is no number of pictures.
std::int64_t times(std::int64_t, std::int64_t) noexcept;

/// `series`: which of the images that OME-XML describes.
Description describe(std::string_view text, const PageShape&, std::int64_t series = 0);

}  // namespace parallax::io::tiff
