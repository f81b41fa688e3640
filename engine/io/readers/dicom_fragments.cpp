#include "io/readers/dicom_fragments.hpp"

#include <gdcmReader.h>

#include <fstream>
#include <set>

#include "io/readers/serve.hpp"

namespace parallax::io::readers::dicom {

namespace {

constexpr const char* cut = "the file is cut off: write or copy it again";
constexpr std::uint32_t item = 0xe000fffe, delimiter = 0xe0ddfffe, unknown = 0xffffffff;

/// Behind the head of the element of pixels, which ends with its length; -1 where there is none.
std::streamoff begin_of_pixels(std::ifstream& in) {
    const gdcm::Tag pixels(0x7fe0, 0x0010);
    gdcm::Reader reader;
    reader.SetStream(in);
    const bool found = reader.ReadUpToTag(pixels, std::set<gdcm::Tag>{pixels});   // its value is passed over
    return found ? static_cast<std::streamoff>(in.tellg()) : std::streamoff{-1};
}

/// Little endian, as compressed files are.
std::uint32_t word(std::ifstream& in) {
    unsigned char raw[4] = {};
    in.read(reinterpret_cast<char*>(raw), 4);
    std::uint32_t value = 0;
    for (int i = 0; i < 4; ++i) value |= static_cast<std::uint32_t>(raw[i]) << 8 * i;
    return value;
}

/// Whether the last marker of a JPEG, JPEG-LS or JPEG 2000 stream stands at the end of a fragment, before what fills it up (some use
/// blanks).
bool ends_as_jpeg(std::ifstream& in, std::uint64_t begin, std::uint64_t length) {
    std::string tail(static_cast<std::size_t>(std::min<std::uint64_t>(length, 1 << 16)), '\0');
    in.seekg(static_cast<std::streamoff>(begin + length - tail.size()));
    in.read(tail.data(), static_cast<std::streamsize>(tail.size()));
    while (!tail.empty() && (tail.back() == '\0' || tail.back() == ' ' || tail.back() == '\xff')) tail.pop_back();
    return tail.ends_with("\xff\xd9");
}

}   // namespace

Fragments find_fragments(const Header& h) {
    std::ifstream in(h.path, std::ios::binary);
    const std::streamoff begin = begin_of_pixels(in);
    in.clear();
    if (begin < 4) throw Problem{"ends before its pixels", cut};
    std::uint64_t at = static_cast<std::uint64_t>(begin);
    Fragments found{at, {}};
    in.seekg(begin - 4);
    if (const std::uint32_t length = word(in); length != unknown) {   // not as DICOM has it: in one piece, which GDCM may know
        if (at + length > h.bytes) throw Problem{"ends before its " + std::to_string(length) + " bytes of pixels do", cut};
        return found;
    }
    const bool jpeg = h.syntax.starts_with("1.2.840.10008.1.2.4.");
    std::size_t fragments = 0, whole = 0;   // the first item is a table of where frames begin
    bool last_is_whole = true;
    for (bool first = true; at < h.bytes; first = false) {
        in.seekg(static_cast<std::streamoff>(at));
        const std::uint32_t tag = word(in), length = word(in);
        if (at + 8 <= h.bytes && tag == delimiter) break;
        const std::string which =
            first ? "the table of its frames" : "fragment " + std::to_string(fragments + 1) + " of its pixels";
        if (at + 8 > h.bytes) throw Problem{"ends inside the head of " + which, cut};
        if (tag != item) throw Problem{"has no fragment of pixels where " + which + " should begin", again};
        at += 8;
        if (at + length > h.bytes)
            throw Problem{"ends inside " + which + ", after " + std::to_string(h.bytes - at) + " of its " +
                              std::to_string(length) + " bytes",
                          cut};
        if (!first && (length > 0 || !jpeg)) {   // some writers put an empty one behind the last
            ++fragments;
            if (last_is_whole) found.frames.emplace_back();
            found.frames.back().push_back({at, length});
            last_is_whole = !jpeg || ends_as_jpeg(in, at, length);
            whole += last_is_whole ? 1 : 0;
        }
        at += length;
    }
    if (!last_is_whole)
        throw Problem{"has compressed pixels (" + h.syntax + ") whose stream does not come to its end in the last fragment",
                      again};
    // A frame may be several fragments, of which the last one ends it.
    const std::string count = std::to_string(whole) + " of its " + std::to_string(h.frames) + " frames of compressed pixels";
    if (whole < static_cast<std::size_t>(h.frames)) throw Problem{"has the ends of " + count, cut};
    if (jpeg && whole > static_cast<std::size_t>(h.frames))
        throw Problem{
            "has compressed pixels of " + std::to_string(whole) + " frames, and " +
                (h.frames_said.empty() ? "does not say how many it has (Number of Frames, (0028,0008))" : h.frames_said),
            mend};
    return found;
}

std::string with_whole_frames(const Header& h, const Fragments& found) {
    std::ifstream in(h.path, std::ios::binary);
    std::string bytes;
    const auto add = [&](std::uint64_t at, std::uint64_t length) {
        const std::size_t before = bytes.size();
        bytes.resize(before + static_cast<std::size_t>(length));
        in.seekg(static_cast<std::streamoff>(at)).read(bytes.data() + before, static_cast<std::streamsize>(length));
    };
    const auto head = [&](std::uint32_t tag, std::uint64_t length) {
        if (length >= unknown)
            throw Problem{"has a frame of more than 4 GiB of compressed pixels, which is not read", "convert it"};
        for (const std::uint64_t value : {std::uint64_t{tag}, length})
            for (int i = 0; i < 4; ++i) bytes += static_cast<char>(value >> 8 * i & 0xff);
    };
    std::uint64_t all = found.begin + 16;
    for (const auto& frame : found.frames)
        for (const Fragment& fragment : frame) all += 8 + fragment.length;
    bytes.reserve(static_cast<std::size_t>(all));
    add(0, found.begin);
    head(item, 0);
    for (const auto& frame : found.frames) {
        std::uint64_t length = 0;
        for (const Fragment& fragment : frame) length += fragment.length;
        head(item, length);
        for (const Fragment& fragment : frame) add(fragment.at, fragment.length);
    }
    head(delimiter, 0);
    return bytes;
}

}   // namespace parallax::io::readers::dicom
