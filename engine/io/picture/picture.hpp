// An array as people look at it: values through one window into greys or colours, stacks side by side, with a bar that says how
// long something is and one that says what the colours mean.
#pragma once

#include "io/io.hpp"

namespace parallax::io::picture {

/// What a format of pictures holds.
struct Kind {
    const char* name;      ///< for messages: "PNG"
    bool frames = false;   ///< several, one after the other
    bool deep = false;     ///< 16 bits, too
    bool alpha = false;
};

/// Why an array cannot become such a picture; empty: it can.
std::string problem(const ArrayDesc&, const WriteOptions&, const Kind&);
/// The picture: dense u8 or u16, {frames, y, x, c}, without the axes that it does not need. One window serves all frames.
HostArray make(const HostArray&, const WriteOptions&, const Kind&);
/// Frames a second of a moving picture: as asked, else by the array's times, else 10.
double frame_rate(const ArrayDesc&, const WriteOptions&);
/// Why a film of the kind cannot show a frame for as long as that is; empty: it can. `longest` in seconds.
std::string pace_problem(const ArrayDesc&, const WriteOptions&, const Kind&, double longest);
/// What is told of a film at this path whose frames go faster than it can show them, or slowly since they were taken so; empty:
/// nothing.
std::string pace_warning(const std::filesystem::path&, const ArrayDesc&, const WriteOptions&);

/// A length of 1, 2 or 5 times a power of ten that is at most `most`, and how it is written: {20, "20 um"}.
struct RoundLength {
    double length = 0;
    std::string label;
};
RoundLength round_length(double most, const std::string& unit);

}   // namespace parallax::io::picture
