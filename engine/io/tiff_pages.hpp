// What the directories of a TIFF file say, before any pixel is decoded.
#pragma once

#include "io/format.hpp"
#include "io/tiff_describe.hpp"
#include "io/tiff_set.hpp"

namespace parallax::io::tiff {

inline constexpr const char* again = "the file is cut off or damaged: write or copy it again";

/// One directory: a picture.
struct Page {
    std::uint64_t directory = 0;  ///< where it stands in its file
    std::uint32_t member = 0;     ///< of TiffSet: that file
    std::size_t index = 0;        ///< which of all directories it is
    std::uint32_t width = 0, height = 0;
    std::uint32_t depth = 1;       ///< planes, as SGI had them: one behind the other in a directory
    std::uint16_t bits = 1, sample_format = SAMPLEFORMAT_UINT, samples = 1, planar = PLANARCONFIG_CONTIG;
    std::uint16_t photometric = PHOTOMETRIC_MINISBLACK, compression = COMPRESSION_NONE;
    bool alpha = false, tiled = false;
    bool sparse = false;           ///< some of its strips or tiles are not there
    bool of_differences = false;   ///< its samples are differences of neighbours (Predictor)

    /// Of one decoded row, all samples.
    std::uint64_t packed_row() const { return (std::uint64_t{width} * samples * bits + 7) / 8; }
    bool same_picture(const Page& other) const {
        return width == other.width && height == other.height && bits == other.bits && sample_format == other.sample_format &&
               samples == other.samples && photometric == other.photometric;
    }
};

struct Document {
    FileInfo file;
    std::vector<Page> pages;
    std::vector<Page> reduced{};   ///< directories that are thumbnails, levels of a pyramid or masks
    std::int64_t series = 1;       ///< images, of which the pages are one
    std::string misfit{};          ///< which planes of OME-XML's are not there; empty: all are
    std::uint64_t bytes = 0;       ///< of all files that its pages stand in
    Page full;                     ///< that page at level 0
    Page like;  ///< what they all are: the first, or the first of the range asked for
    ElementType type = ElementType::u8;
    Colour colour = Colour::grey;  ///< of the decoded picture
    std::int64_t channels = 1;     ///< likewise
    bool half = false;             ///< 16-bit floats become 32
    bool signed_by_offset = false;   ///< of 16 bits, 32768 more than they mean
    bool expand = false;        ///< 1, 2, 4 bits become 8
    bool palette = false;       ///< indices become red, green, blue
    std::vector<std::byte> fill{std::byte{0}};   ///< what repeats in strips and tiles that are not there
    /// ImageJ writes large stacks as one directory, and so does tifffile where it is told to; the pictures follow each other from
    /// here. 0: ordinary pages.
    std::uint64_t contiguous_at = 0;
    std::int64_t count = 0;  ///< pictures in all
};

/// The directory that the file stands at.
Page describe_page(const Source&, const TiffFile&);
/// The directories of one file: pages, and what is reduced or a mask.
void describe_pages(const Source&, const TiffSet&, std::size_t member, std::vector<Page>& pages, std::vector<Page>& reduced);
PageShape shape_of(const Page&);

/// Walks through all directories. Throws for what cannot be read.
Document read_document(const Source&, TiffSet&);

}  // namespace parallax::io::tiff
