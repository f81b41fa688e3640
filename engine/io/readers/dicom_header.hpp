// What a DICOM file says of its picture, but no pixels. Nothing that tells of a patient is looked at: neither names nor dates nor
// descriptions.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "io/readers/serve.hpp"

namespace parallax::io::readers::dicom {

using Vector = std::array<double, 3>;

inline constexpr const char* again = "the file is damaged or cut off: write or copy it again";
inline constexpr const char* mend =
    "the header is wrong: have it written again, or correct it, for instance by dcmodify or pydicom";

/// What is to be told, and what it is about where a job may settle it: "spacing", "slices" (io::Concern).
struct Told {
    Told(std::string words, std::string of = {}) : text(std::move(words)), about(std::move(of)) {}
    Told(const char* words) : text(words) {}
    bool operator==(const Told&) const = default;

    std::string text, about;
};

/// Where a picture lies in the body.
struct Place {
    std::optional<Vector> position;
    std::optional<std::array<Vector, 2>> directions;   ///< along a row, down a column
    std::vector<double> spacing;                       ///< of rows, of columns
    double between = 0;                                ///< slices; below 0: against the normal of their plane; 0: not said
};

/// Whether they are others, by more than a thousandth.
bool unlike_distances(const std::vector<double>&, const std::vector<double>&);
/// Whether rows or columns go in other directions, or one of the two does not say.
bool unlike_directions(const Place&, const Place&);

/// What stands for each stored value from `first` on; below and above stand the first and the last.
struct Table {
    std::vector<std::uint16_t> values;
    std::int64_t first = 0;
    int bits = 16;

    std::uint16_t of(std::int64_t stored) const {
        const auto last = static_cast<std::int64_t>(values.size()) - 1;
        return values[static_cast<std::size_t>(std::clamp<std::int64_t>(stored - first, 0, last))];
    }
};

/// What a file says, but its pixels.
struct Header {
    std::filesystem::path path;
    std::uint64_t bytes = 0;
    std::int64_t rows = 0, columns = 0, frames = 1, samples = 1, allocated = 8, stored = 8, high = 7, sign = 0;
    std::string photometric, syntax, modality, series, window;
    std::string frames_said;   ///< how many, in words; empty: nothing
    std::string bits_at;   ///< where they do not stand at the lower end, in words
    double slope = 1, intercept = 0;
    std::vector<std::array<double, 2>> of_frames;   ///< slope and intercept, where frames have their own
    Place place;
    std::vector<Place> places;   ///< of frames
    std::vector<double> offsets; ///< of frames along the normal, mm, where no more than that is said of each
    double frame_time = 0;       ///< s
    std::int64_t number = 0;     ///< of the instance
    std::array<Table, 3> palette;   ///< red, green, blue, of 8 bits
    std::optional<Table> table;     ///< of values (Modality LUT), in place of slope and intercept
    std::vector<Told> warnings;
    std::vector<std::string> ignored;
    std::string spacing_from;
    std::string nuclear_frames;   ///< what they are where they are no planes of one volume
    bool compressed = false;
    bool planes = false;   ///< colours one plane after the other
    bool overlay_in_pixels = false;   ///< in bits beside those of the pixel
    bool scaled() const { return slope != 1 || intercept != 0 || !of_frames.empty(); }
    bool is_palette() const { return photometric == "PALETTE COLOR"; }
    bool has_colours() const { return samples == 3 || is_palette(); }
};

/// A file that is no DICOM file, or one without a picture.
struct NoPicture : Problem {};

/// Of so many frames that are not compressed.
std::uint64_t pixel_bytes(const Header&, std::int64_t frames);
/// Throws Problem where the pixels are those of more frames than the header tells: nobody would miss them.
void check_frames(const Header&, std::uint64_t bytes_there);

/// Throws NoPicture, and Problem for a picture that is not read.
Header read_header(const std::filesystem::path&, std::uint64_t bytes);

}   // namespace parallax::io::readers::dicom
