#include "io/readers/dicom_pixels.hpp"

#include <gdcmAttribute.h>
#include <gdcmImageReader.h>
#include <gdcmReader.h>
#include <gdcmSequenceOfFragments.h>
#include <gdcmTrace.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <fstream>
#include <sstream>
#include <type_traits>

#include "io/readers/dicom_deflated.hpp"
#include "io/readers/dicom_fragments.hpp"
#include "io/readers/dicom_overheard.hpp"
#include "io/readers/dicom_stream.hpp"
#include "io/readers/serve.hpp"

namespace parallax::io::readers::dicom {

namespace fs = std::filesystem;

namespace {

template <class T>
void clean(T* values, std::size_t count, const Header& h) {
    // Bits beside those that are used may hold overlays, and the sign stands at the highest one that is used.
    const int bits = static_cast<int>(sizeof(T) * 8), unused = bits - static_cast<int>(h.stored),
              above = bits - 1 - static_cast<int>(h.high);
    if (unused <= 0) return;
    using U = std::make_unsigned_t<T>;
    for (std::size_t i = 0; i < count; ++i)
        values[i] = static_cast<T>(static_cast<T>(static_cast<U>(static_cast<U>(values[i]) << above)) >> unused);
}

/// Whether bits above those that the header names hold neither nothing nor the sign.
template <class T>
bool has_more_bits(const T* values, std::size_t count, const Header& h) {
    using U = std::make_unsigned_t<T>;
    const auto above = static_cast<U>(~U{0} << (h.stored - 1) << 1);
    const auto sign = static_cast<U>(U{1} << (h.stored - 1));
    return std::any_of(values, values + count, [&](T value) {
        const auto bits = static_cast<U>(static_cast<U>(value) & above);
        return bits != 0 && !(h.sign && bits == above && (static_cast<U>(value) & sign));
    });
}

template <class T>
void scale_as(const char* from, float* to, std::size_t count, double slope, double intercept) {
    const T* const in = reinterpret_cast<const T*>(from);
    for (std::size_t i = 0; i < count; ++i) to[i] = static_cast<float>(static_cast<double>(in[i]) * slope + intercept);
}

template <class T>
void through(const Table& table, const char* from, std::size_t count, char* to) {
    const T* const in = reinterpret_cast<const T*>(from);
    for (std::size_t i = 0; i < count; ++i) {
        const std::uint16_t value = table.of(in[i]);
        if (table.bits == 8) to[i] = static_cast<char>(value);
        else std::memcpy(to + 2 * i, &value, 2);
    }
}

void through_table(const Header& h, const char* from, std::size_t count, char* to) {
    if (h.allocated <= 8)
        h.sign ? through<std::int8_t>(*h.table, from, count, to) : through<std::uint8_t>(*h.table, from, count, to);
    else if (h.allocated == 16)
        h.sign ? through<std::int16_t>(*h.table, from, count, to) : through<std::uint16_t>(*h.table, from, count, to);
    else h.sign ? through<std::int32_t>(*h.table, from, count, to) : through<std::uint32_t>(*h.table, from, count, to);
}

/// A frame by its own slope and intercept.
void scale_frame(const Header& h, std::int64_t frame, const char* from, std::size_t count, float* to) {
    const auto own =
        h.of_frames.empty() ? std::array<double, 2>{h.slope, h.intercept} : h.of_frames[static_cast<std::size_t>(frame)];
    if (h.allocated <= 8)
        h.sign ? scale_as<std::int8_t>(from, to, count, own[0], own[1]) : scale_as<std::uint8_t>(from, to, count, own[0], own[1]);
    else if (h.allocated == 16)
        h.sign ? scale_as<std::int16_t>(from, to, count, own[0], own[1])
               : scale_as<std::uint16_t>(from, to, count, own[0], own[1]);
    else
        h.sign ? scale_as<std::int32_t>(from, to, count, own[0], own[1])
               : scale_as<std::uint32_t>(from, to, count, own[0], own[1]);
}

/// One bit of each pixel, the lowest of a byte first: 0 and 255, or 0 and 1 where the header says what they stand for.
void decode_bits(const Header& h, const std::vector<char>& packed, std::int64_t first, std::int64_t count, char* to) {
    const std::size_t pixels = static_cast<std::size_t>(h.rows * h.columns);
    const bool meant = h.table || h.scaled();
    std::vector<char> frame(meant ? pixels : 0);
    for (std::int64_t f = first; f < first + count; ++f, to += pixels * bytes_of(type_of(h))) {
        char* const bits = meant ? frame.data() : to;
        for (std::size_t i = 0; i < pixels; ++i) {
            const std::size_t bit = static_cast<std::size_t>(f) * pixels + i;
            bits[i] = static_cast<char>((static_cast<unsigned char>(packed[bit / 8]) >> (bit % 8) & 1) * (meant ? 1 : 255));
        }
        if (h.table)
            through_table(h, bits, pixels, to);
        else if (meant)
            scale_frame(h, f, bits, pixels, reinterpret_cast<float*>(to));
    }
}

/// PackBits, as RLE's segments are. Returns how many bytes come out: of more than `count` no more are written than belong there.
/// A last byte that is no run may fill the segment up to an even length.
std::size_t unpack(const unsigned char* from, std::size_t bytes, unsigned char* to, std::size_t stride, std::size_t count) {
    std::size_t done = 0;
    for (std::size_t at = 0; at < bytes;) {
        if (done == count && at + 1 == bytes) break;
        const int code = static_cast<signed char>(from[at++]);
        if (code == -128) continue;
        const std::size_t run = code >= 0 ? static_cast<std::size_t>(code) + 1 : static_cast<std::size_t>(1 - code);
        if (run > count - done) return count + 1;
        for (std::size_t i = 0; i < run; ++i, ++done) {
            const std::size_t place = code >= 0 ? at + i : at;
            if (place >= bytes) return done;
            to[done * stride] = from[place];
        }
        at += code >= 0 ? run : 1;
    }
    return done;
}

/// Frames in RLE: of each the bytes of all samples, the most significant first. Samples come out side by side.
std::vector<char> decode_rle(const Header& h, const gdcm::SequenceOfFragments& fragments) {
    if (fragments.GetNumberOfFragments() != static_cast<std::size_t>(h.frames))
        throw Problem{"has " + std::to_string(fragments.GetNumberOfFragments()) + " RLE fragments for " +
                          std::to_string(h.frames) + " frames",
                      again};
    const std::size_t element = static_cast<std::size_t>(h.allocated) / 8, samples = static_cast<std::size_t>(h.samples),
                      pixels = static_cast<std::size_t>(h.rows * h.columns), frame = pixels * samples * element;
    std::vector<char> out(frame * static_cast<std::size_t>(h.frames));
    for (std::size_t f = 0; f < static_cast<std::size_t>(h.frames); ++f) {
        const gdcm::ByteValue* const value = fragments.GetFragment(f).GetByteValue();
        const std::size_t bytes = value ? static_cast<std::size_t>(value->GetLength()) : 0;
        if (bytes < 64) throw Problem{"has an RLE fragment of " + std::to_string(bytes) + " bytes", again};
        const auto* const data = reinterpret_cast<const unsigned char*>(value->GetPointer());
        const auto word = [&](std::size_t i) {
            return static_cast<std::size_t>(data[4 * i] | data[4 * i + 1] << 8 | data[4 * i + 2] << 16) |
                   static_cast<std::size_t>(data[4 * i + 3]) << 24;
        };
        const std::size_t segments = word(0);
        if (segments != samples * element)
            throw Problem{
                "has " + std::to_string(segments) + " RLE segments for " + std::to_string(samples * element) + " bytes a pixel",
                again};
        for (std::size_t s = 0; s < segments; ++s) {
            const std::size_t begin = word(s + 1), end = s + 1 < segments ? word(s + 2) : bytes;
            if (begin > end || end > bytes) throw Problem{"has an RLE segment past the end of its fragment", again};
            const std::size_t sample = s / element, byte = element - 1 - s % element;   // little endian in memory
            auto* const to = reinterpret_cast<unsigned char*>(out.data()) + f * frame + sample * element + byte;
            const std::size_t made = unpack(data + begin, end - begin, to, samples * element, pixels);
            if (made != pixels)
                throw Problem{std::string("has too ") + (made < pixels ? "few" : "many") + " pixels in an RLE segment", again};
        }
    }
    return out;
}

/// GDCM fills up what a file that is cut off lacks: its length must reach to the end of the pixels, behind their element's head.
void check_whole(const Header& h, std::size_t pixels, bool big) {
    if (h.syntax == deflated) return;   // looked at when it was unpacked
    std::ifstream in(h.path, std::ios::binary);
    std::string bytes(static_cast<std::size_t>(h.bytes), '\0');
    in.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    const std::string tag = big ? std::string("\x7f\xe0\x00\x10", 4) : std::string("\xe0\x7f\x10\x00", 4);
    for (std::size_t at = bytes.find(tag); at != std::string::npos; at = bytes.find(tag, at + 1)) {
        for (const std::size_t head : {std::size_t{8}, std::size_t{12}}) {
            if (at + head > bytes.size()) continue;
            std::uint32_t length = 0;
            for (std::size_t i = 0; i < 4; ++i)
                length |= static_cast<std::uint32_t>(static_cast<unsigned char>(bytes[at + head - 4 + i]))
                          << 8 * (big ? 3 - i : i);
            if (length <= pixels && pixels - length <= 1 && at + head + length <= bytes.size()) return;
        }
    }
    throw Problem{"ends before its " + std::to_string(pixels) + " bytes of pixels do",
                  "the file is cut off: write or copy it again"};
}

/// Frames without compression, in this machine's byte order; empty: not such, or of halved colours.
std::vector<char> decode_native(const Header& h, const gdcm::DataSet& set, bool big) {
    const gdcm::Tag tag(0x7fe0, 0x0010);
    const gdcm::ByteValue* const value = set.FindDataElement(tag) ? set.GetDataElement(tag).GetByteValue() : nullptr;
    if (!value) throw Problem{"has no pixels that are integers", "choose another, or convert it"};
    const std::size_t element = static_cast<std::size_t>(h.allocated) / 8,
                      pixels = static_cast<std::size_t>(h.rows * h.columns) * static_cast<std::size_t>(h.frames);
    const std::size_t there = value->GetLength(), wanted = static_cast<std::size_t>(pixel_bytes(h, h.frames));
    check_whole(h, there, big);
    check_frames(h, there);
    std::vector<char> out(value->GetPointer(), value->GetPointer() + there);
    if (big && element == 4) {   // GDCM has turned the bytes of each half
        for (std::size_t i = 0; i + 4 <= out.size(); i += 4) std::swap(out[i], out[i + 2]), std::swap(out[i + 1], out[i + 3]);
    }
    if (h.photometric == "YBR_FULL_422") {
        if (there < wanted)
            throw Problem{"has " + std::to_string(there) + " bytes of pixels for " + std::to_string(wanted), again};
        std::vector<char> full(3 * pixels);
        for (std::size_t i = 0; i < pixels; ++i) {
            const char* const pair = out.data() + i / 2 * 4;
            full[3 * i] = pair[i % 2], full[3 * i + 1] = pair[2], full[3 * i + 2] = pair[3];
        }
        return full;
    }
    if (there < wanted)
        throw Problem{"has " + std::to_string(there) + " bytes of pixels for " + std::to_string(wanted),
                      "the file is cut off: write or copy it again"};
    return out;
}

struct Streams {
    std::int64_t bits = 0;   ///< the most that a sample has
    bool jpeg = false;       ///< or JPEG-LS: not JPEG 2000
};

/// Each frame's stream against the header.
Streams check_streams(const Header& h, const Fragments& fragments, std::string_view bytes) {
    Streams found;
    std::size_t at = static_cast<std::size_t>(fragments.begin), frame = 0;
    const auto check = [&](std::uint64_t length) {
        const std::string_view all = bytes.substr(std::min(at, bytes.size()), static_cast<std::size_t>(length));
        const std::optional<Stream> stream = stream_of(all);
        const bool jpeg = all.starts_with("\xff\xd8");
        ++frame;
        if (jpeg && !stream)
            throw Problem{"has a frame without a header that can be read: its frame " + std::to_string(frame) +
                              " of compressed pixels",
                          again};
        found.jpeg = found.jpeg || jpeg;
        if (stream) check_stream(h, *stream, frame), found.bits = std::max(found.bits, stream->bits);
    };
    if (fragments.frames.empty()) check(bytes.size());
    at += 8;   // behind the empty table
    for (const auto& pieces : fragments.frames) {
        std::uint64_t length = 0;
        for (const Fragment& piece : pieces) length += piece.length;
        at += 8;
        check(length);
        at += static_cast<std::size_t>(length);
    }
    return found;
}

/// What libjpeg warns of and goes on after, with pixels of its own making; empty: nothing, or bytes that it passes over.
std::string lost_pixels(const std::string& said) {
    for (const char* words : {"premature end of data segment", "bad Huffman code", "instead of RST", "Inconsistent progression",
                              "Premature end"}) {
        const std::size_t at = said.find(words);
        if (at == std::string::npos) continue;
        const std::size_t begin = said.rfind('\n', at) + 1;   // 0 where there is none
        return said.substr(begin, said.find('\n', at) - begin);
    }
    return {};
}

}   // namespace

std::string type_of(const Header& h) {
    if (h.is_palette()) return "u8";
    if (h.table) return h.table->bits == 8 ? "u8" : "u16";
    if (h.scaled()) return "f32";
    if (h.allocated == 1) return "u8";
    return (h.sign ? "i" : "u") + std::to_string(h.allocated);
}

std::size_t bytes_of(const std::string& type) { return type.ends_with("32") ? 4 : type.ends_with("16") ? 2 : 1; }

Decoded decode(const Header& h) {
    const Fragments fragments = h.compressed ? find_fragments(h) : Fragments{};
    // To the end of the pixels and no further: what follows may be megabytes of empty elements, each of which GDCM would keep.
    std::ifstream stream(h.path, std::ios::binary);
    std::streamoff end = 0;
    {
        std::optional<std::istringstream> plain;
        if (h.syntax == deflated) plain.emplace(unpack_deflated(h.path, h.bytes).value_or(std::string()));
        gdcm::Reader reader;
        if (plain) reader.SetStream(*plain);
        else reader.SetStream(stream);
        const gdcm::Tag pixels(0x7fe0, 0x0010);
        if (!(plain ? read_unpacked(reader, pixels) : reader.ReadUpToTag(pixels))) throw Problem{"cannot be read as DICOM to its pixels", again};
        plain.reset();   // GDCM has its own of what is in it
        end = stream.tellg();
        const gdcm::DataSet& set = reader.GetFile().GetDataSet();
        const gdcm::TransferSyntax& syntax = reader.GetFile().GetHeader().GetDataSetTransferSyntax();
        const bool ybr = h.photometric == "YBR_FULL" || h.photometric == "YBR_FULL_422";
        if (!h.compressed) {
            const bool big = syntax.GetSwapCode() == gdcm::SwapCode::BigEndian;
            return {decode_native(h, set, big), h.planes && h.photometric != "YBR_FULL_422", ybr};
        }
        if (syntax == gdcm::TransferSyntax::RLELossless) {
            const gdcm::Tag tag(0x7fe0, 0x0010);
            const gdcm::SequenceOfFragments* const packed =
                set.FindDataElement(tag) ? set.GetDataElement(tag).GetSequenceOfFragments() : nullptr;
            if (!packed || h.allocated == 1) throw Problem{"has no RLE pixels that can be read", again};
            return {decode_rle(h, *packed), false, ybr};
        }
    }
    if (h.allocated == 1)
        throw Problem{"is a DICOM file of compressed pixels of 1 bit, which are not read", "convert it to 8 bits"};
    std::string bytes;
    if (fragments.frames.empty()) {
        stream.clear();
        if (end < 0) end = static_cast<std::streamoff>(h.bytes);
        bytes.resize(static_cast<std::size_t>(end));
        stream.seekg(0).read(bytes.data(), end);
    } else {
        bytes = with_whole_frames(h, fragments);
    }
    const auto [bits, jpeg] = check_streams(h, fragments, bytes);
    std::istringstream part(std::move(bytes));
    gdcm::ImageReader reader;
    reader.SetStream(part);
    if (!reader.Read())
        throw Problem{"its pixels (" + h.syntax + ") cannot be read by GDCM",
                      "convert it, for instance by dcmconv or gdcmconv --raw"};
    gdcm::Image& image = reader.GetImage();
    gdcm::PixelFormat format = image.GetPixelFormat();
    const auto* const sizes = image.GetDimensions();
    const std::int64_t frames = image.GetNumberOfDimensions() > 2 ? sizes[2] : 1;
    if (sizes[0] != h.columns || sizes[1] != h.rows || frames != h.frames || format.GetSamplesPerPixel() != h.samples)
        throw Problem{"has other pixels than its header says", again};
    const std::int64_t allocated = format.GetBitsAllocated();   // of JPEG by the stream
    const bool jpeg_ls = h.syntax == "1.2.840.10008.1.2.4.80" || h.syntax == "1.2.840.10008.1.2.4.81";   // of that by the header
    if ((allocated + 7) / 8 * 8 != h.allocated || (jpeg_ls && bits > 0 && (bits + 7) / 8 * 8 != h.allocated))
        throw Problem{"is a DICOM file of compressed pixels of " + std::to_string(bits > 0 ? bits : format.GetBitsStored()) +
                          " bits, which GDCM does not read into " + std::to_string(h.allocated),
                      "convert it to RLE or leave it uncompressed, for instance by pydicom's decompress()"};
    if (bits > 0) {   // GDCM clears those of JPEG that the header does not tell, and ends the process where these are fewer than 8
        format.SetBitsAllocated(static_cast<unsigned short>(h.allocated));
        format.SetBitsStored(static_cast<unsigned short>(bits));
        format.SetHighBit(static_cast<unsigned short>(bits - 1));
        if (jpeg && bits < h.stored) format.SetPixelRepresentation(0);   // the sign is at the header's top bit: clean() sees to it
        image.SetPixelFormat(format);
    }
    Decoded decoded;
    decoded.bytes.resize(image.GetBufferLength());
    const Overheard overheard;
    if (!image.GetBuffer(decoded.bytes.data())) throw Problem{"its pixels (" + h.syntax + ") cannot be decoded", again};
    if (const std::string lost = lost_pixels(overheard.text()); !lost.empty())
        throw Problem{"has damaged JPEG pixels (" + h.syntax + "): " + lost, again};
    decoded.bits = bits;
    decoded.planes = image.GetPlanarConfiguration() == 1;
    decoded.ybr = image.GetPhotometricInterpretation() == gdcm::PhotometricInterpretation::YBR_FULL ||
                  image.GetPhotometricInterpretation() == gdcm::PhotometricInterpretation::YBR_FULL_422;
    return decoded;
}

void deliver(const Header& h, const Decoded& decoded, std::int64_t first, std::int64_t count, char* to) {
    const std::vector<char>& buffer = decoded.bytes;
    const std::size_t pixels = static_cast<std::size_t>(h.rows * h.columns), samples = static_cast<std::size_t>(h.samples);
    const std::size_t values = pixels * samples, whole = values * static_cast<std::size_t>(h.frames);
    if (h.allocated == 1) {
        if (buffer.size() < (whole + 7) / 8) throw Problem{"has fewer pixels than its header says", again};
        return decode_bits(h, buffer, first, count, to);
    }
    const std::size_t element = static_cast<std::size_t>(h.allocated) / 8;
    if (buffer.size() < whole * element) throw Problem{"has fewer pixels than its header says", again};
    const std::size_t wanted = values * static_cast<std::size_t>(count);
    const char* const begin = buffer.data() + static_cast<std::size_t>(first) * values * element;
    std::vector<char> frames(begin, begin + wanted * element);   // bits are put in order in them, once
    char* from = frames.data();
    const auto tidy = [&]<class T>(T* stored) {
        if (decoded.bits > h.stored && !h.overlay_in_pixels && has_more_bits(stored, wanted, h))
            throw Problem{"has compressed pixels of " + std::to_string(decoded.bits) +
                              " bits, some of which take more than the " + std::to_string(h.stored) + " that its header tells",
                          mend};
        clean(stored, wanted, h);
    };
    if (element == 4) h.sign ? tidy(reinterpret_cast<std::int32_t*>(from)) : tidy(reinterpret_cast<std::uint32_t*>(from));
    if (element == 2) h.sign ? tidy(reinterpret_cast<std::int16_t*>(from)) : tidy(reinterpret_cast<std::uint16_t*>(from));
    if (element == 1) h.sign ? tidy(reinterpret_cast<std::int8_t*>(from)) : tidy(reinterpret_cast<std::uint8_t*>(from));
    if (h.is_palette()) {
        const auto colours = [&]<class T>(const T* indices) {
            for (std::size_t i = 0; i < wanted; ++i)
                for (const Table& colour : h.palette) *to++ = static_cast<char>(colour.of(indices[i]));
        };
        if (element == 1)
            h.sign ? colours(reinterpret_cast<const std::int8_t*>(from)) : colours(reinterpret_cast<const std::uint8_t*>(from));
        else
            h.sign ? colours(reinterpret_cast<const std::int16_t*>(from)) : colours(reinterpret_cast<const std::uint16_t*>(from));
        return;
    }
    if (samples == 3) {
        const bool planes = decoded.planes, ybr = decoded.ybr;
        if (ybr && element != 1)
            throw Problem{"is a DICOM file of colours " + h.photometric + " of 16 bits, which are not read", "convert it to RGB"};
        for (std::int64_t f = 0; f < count; ++f, from += values * element) {
            for (std::size_t i = 0; i < pixels; ++i, to += 3 * element) {
                if (!ybr) {
                    for (std::size_t c = 0; c < 3; ++c)
                        std::memcpy(to + c * element, from + (planes ? c * pixels + i : 3 * i + c) * element, element);
                    continue;
                }
                const auto part = [&](std::size_t c) {
                    return static_cast<double>(static_cast<unsigned char>(from[planes ? c * pixels + i : 3 * i + c]));
                };
                const double y = part(0), b = part(1) - 128, r = part(2) - 128;
                const auto byte = [](double v) {
                    return static_cast<char>(static_cast<unsigned char>(std::clamp(std::floor(v + 0.5), 0.0, 255.0)));
                };
                to[0] = byte(y + 1.402 * r);
                to[1] = byte(y - 0.114 * 1.772 / 0.587 * b - 0.299 * 1.402 / 0.587 * r);
                to[2] = byte(y + 1.772 * b);
            }
        }
        return;
    }
    if (h.table) return through_table(h, from, wanted, to);
    if (!h.scaled()) {
        std::memcpy(to, from, wanted * element);
        return;
    }
    for (std::int64_t f = 0; f < count; ++f, from += values * element, to += values * 4)
        scale_frame(h, first + f, from, values, reinterpret_cast<float*>(to));
}

}   // namespace parallax::io::readers::dicom
