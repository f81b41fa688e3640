#include "stream/frames.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <utility>

#include "io/format.hpp"
#include "io/picture/picture.hpp"
#include "io/text_header.hpp"
#include "parallax/host/error.hpp"

#if defined(_WIN32)
#include <io.h>
#else
#include <poll.h>
#include <unistd.h>
#endif

namespace parallax::engine::stream {
namespace {

constexpr const char* source_name = "standard input";
constexpr std::size_t longest_line = 4096;
constexpr std::int64_t most_a_side = std::int64_t{1} << 20;

bool is_blank(unsigned char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\v' || c == '\f'; }

/// Bytes of the two planes of colours beside one of brightness, by Y4M's name of them; nothing for one that is not known.
std::optional<std::int64_t> colour_samples(std::string_view space, std::int64_t width, std::int64_t height) {
    const std::int64_t half_width = (width + 1) / 2, half_height = (height + 1) / 2;
    if (space.starts_with("mono")) return 0;
    if (space.starts_with("420")) return 2 * half_width * half_height;
    if (space.starts_with("411")) return 2 * ((width + 3) / 4) * height;
    if (space.starts_with("422")) return 2 * half_width * height;
    if (space.starts_with("444alpha")) return 3 * width * height;
    if (space.starts_with("444")) return 2 * width * height;
    return std::nullopt;
}

/// "30000:1001"; nothing for what is no two numbers.
std::optional<std::pair<std::int64_t, std::int64_t>> ratio_of(std::string_view text) {
    const std::size_t colon = text.find(':');
    if (colon == std::string_view::npos) return std::nullopt;
    const auto first = io::integer_of(text.substr(0, colon)), second = io::integer_of(text.substr(colon + 1));
    if (!first || !second) return std::nullopt;
    return std::pair{*first, *second};
}

/// Bits of a sample: "420p10", "mono16".
int bits_of(std::string_view space) {
    const std::size_t at = space.starts_with("mono")                   ? 4
                           : space.find('p') == std::string_view::npos ? space.size()
                                                                       : space.find('p') + 1;
    const auto bits = io::integer_of(space.substr(std::min(at, space.size())));
    return bits && *bits > 8 && *bits <= 16 ? static_cast<int>(*bits) : 8;
}

/// ITU-R BT.601, in the range from 16 to 235 that video has.
std::array<std::uint8_t, 3> to_ycbcr(const std::uint8_t* rgb) {
    const double r = rgb[0] / 255.0, g = rgb[1] / 255.0, b = rgb[2] / 255.0;
    const double y = 0.299 * r + 0.587 * g + 0.114 * b, cb = (b - y) / 1.772, cr = (r - y) / 1.402;
    const auto byte = [](double v) { return static_cast<std::uint8_t>(std::lround(v)); };
    return {byte(16 + 219 * y), byte(128 + 224 * cb), byte(128 + 224 * cr)};
}

/// That white is another number than PGM says, into which these frames may be written.
std::string told_of_white(std::int64_t white) {
    return fmt::format("standard input: white is {} in it; values are as they are stored, and where they are written as PGM that says {}", white,
                       white > 255 ? 65535 : 255);
}

io::picture::Kind picture_kind(Kind kind) {
    return kind == Kind::pgm ? io::picture::Kind{"PGM", false, true} : io::picture::Kind{"Y4M"};
}

}   // namespace

Pipe::Pipe(int descriptor, std::function<bool()> cancelled)
    : descriptor_(descriptor), cancelled_(std::move(cancelled)), buffer_(std::size_t{1} << 20) {}

bool Pipe::fill() {
#if defined(_WIN32)
    const int got = ::_read(descriptor_, buffer_.data(), static_cast<unsigned>(buffer_.size()));
#else
    for (pollfd what{descriptor_, POLLIN, 0}; cancelled_;) {
        if (cancelled_()) throw CancelledError("stopped on request while frames were waited for");
        if (::poll(&what, 1, 100) > 0) break;
    }
    ssize_t got = 0;
    do got = ::read(descriptor_, buffer_.data(), buffer_.size());
    while (got < 0 && errno == EINTR);
#endif
    if (got < 0)
        throw IoError(source_name, fmt::format("cannot be read: {}", std::strerror(errno)),
                      "frames come from a program or a file");
    if (got == 0) return false;
    at_ = 0;
    end_ = static_cast<std::size_t>(got);
    last_ = std::chrono::steady_clock::now();
    return true;
}

std::optional<unsigned char> Pipe::byte() {
    if (at_ == end_ && !fill()) return std::nullopt;
    return std::to_integer<unsigned char>(buffer_[at_++]);
}

bool Pipe::read(std::byte* to, std::size_t count) {
    while (count > 0) {
        if (at_ == end_ && !fill()) return false;
        const std::size_t part = std::min(count, end_ - at_);
        std::memcpy(to, buffer_.data() + at_, part);
        to += part, at_ += part, count -= part;
    }
    return true;
}

std::optional<std::string> Pipe::line() {
    std::string text;
    while (const auto c = byte()) {
        if (*c == '\n') return text;
        if (text.size() == longest_line) return std::nullopt;
        text += static_cast<char>(*c);
    }
    return std::nullopt;
}

FrameReader::FrameReader(Pipe& pipe, const std::optional<io::RawLayout>& raw) : pipe_(pipe), raw_(raw) {
    constexpr const char* what = "frames are PGM or PPM (P5, P6), YUV4MPEG2, or raw elements: {\"file\": \"-\", \"raw\": {...}}";
    if (raw_) {
        if (raw_->offset != 0 || raw_->packed_bits != 0)
            fail("carries raw frames, of which an offset or packed pixels are asked for",
                 "frames of a stream begin one behind the other, a whole number of bytes an element");
        desc_ = ArrayDesc::dense(raw_->type, raw_->axes);
        return;
    }
    const auto first = pipe_.byte();
    if (!first) fail("ended before the first frame", what);
    if (*first == 'Y') {
        const auto line = pipe_.line();
        if (!line || !line->starts_with("UV4MPEG2 ")) fail("does not begin as a stream of frames", what);
        begin_y4m(*line);
        return;
    }
    if (*first != 'P') fail("does not begin as a stream of frames", what);
    pipe_.put_back();
    kind_ = Kind::pgm;
    const auto size = pnm_header();
    if (!size) fail("ended before the first frame", what);
    size_ = *size;
    header_read_ = true;
    if (size_.largest != 255 && size_.largest != 65535) warnings_.push_back(told_of_white(size_.largest));
    std::vector<ArrayDesc::Extent> extents{{'y', size_.height}, {'x', size_.width}};
    if (size_.channels > 1) extents.push_back({'c', size_.channels});
    desc_ = ArrayDesc::dense(size_.bytes == 2 ? ElementType::u16 : ElementType::u8, extents);
}

void FrameReader::fail(const std::string& problem, const std::string& hint) const { throw IoError(source_name, problem, hint); }

void FrameReader::begin_y4m(const std::string& line) {
    kind_ = Kind::y4m;
    std::string space = "420";
    std::int64_t width = 0, height = 0;
    for (const std::string_view word : io::words_of(line)) {
        const std::string_view value = word.substr(1);
        if ((word[0] == 'W' && width != 0) || (word[0] == 'H' && height != 0))
            fail(fmt::format("begins as YUV4MPEG2 that says {} more than once", word[0]), "the stream is damaged");
        if (word[0] == 'W') width = io::integer_of(value).value_or(0);
        if (word[0] == 'H') height = io::integer_of(value).value_or(0);
        if (word[0] == 'C') space = value;
        if (word[0] == 'A') words_.aspect = value;
        if (word[0] == 'I') words_.interlacing = value;
        if (word.starts_with("XCOLORRANGE=")) words_.range = word.substr(word.find('=') + 1);
        if (word[0] == 'F') words_.rate = value;
    }
    if (width < 1 || height < 1 || width > most_a_side || height > most_a_side)
        fail(fmt::format("begins as YUV4MPEG2 of {} x {} pixels", width, height),
             "its first line says W and H, from 1 to 1048576");
    const auto colours = colour_samples(space, width, height);
    if (!colours)
        fail(fmt::format("is YUV4MPEG2 with colours \"{}\", which are not known", io::shortened(space)),
             "try -pix_fmt gray of ffmpeg");
    check_words(height);
    const int bits = bits_of(space);
    const std::size_t bytes = bits > 8 ? 2 : 1;
    if (bits > 8 && bits < 16) warnings_.push_back(told_of_white((1 << bits) - 1));
    behind_ = static_cast<std::size_t>(*colours) * bytes;
    if (behind_ > 0) warnings_.push_back(fmt::format("standard input: of its colours ({}) brightness alone is taken", space));
    desc_ = ArrayDesc::dense(bytes == 2 ? ElementType::u16 : ElementType::u8, {{'y', height}, {'x', width}});
}

/// Words that are not as they should be are as if they were not there, and are told. 0:0 and ? are Y4M's words for "not known".
void FrameReader::check_words(std::int64_t height) {
    const auto pass_over = [this](const char* name, std::string& word, const char* expected) {
        if (!word.empty())
            warnings_.push_back(fmt::format("standard input: its first line says \"{}{}\", and this is passed over: expected {}", name,
                                            io::shortened(word), expected));
        word.clear();
    };
    const auto rate = ratio_of(words_.rate), aspect = ratio_of(words_.aspect);
    if (rate && rate->first > 0 && rate->second > 0) words_.rate = fmt::format("{}:{}", rate->first, rate->second);
    else if (rate == std::pair<std::int64_t, std::int64_t>{0, 0}) words_.rate.clear();
    else pass_over("F", words_.rate, "frames a second as two numbers above 0 (F30000:1001); without them Y4M that is written has 25");
    if (!aspect || aspect->first < 0 || aspect->second < 0)
        pass_over("A", words_.aspect, "the shape of pixels as two numbers (A16:11); without it Y4M that is written has square ones");
    if (words_.range != "FULL" && words_.range != "LIMITED") pass_over("XCOLORRANGE=", words_.range, "FULL or LIMITED");
    if (words_.interlacing != "p" && words_.interlacing != "t" && words_.interlacing != "b" && words_.interlacing != "m" &&
        words_.interlacing != "?")
        pass_over("I", words_.interlacing, "Ip, It, Ib, Im or I?; without it frames are taken for progressive");
    words_.rows = height;
    if (words_.interlacing == "t" || words_.interlacing == "b" || words_.interlacing == "m")
        warnings_.push_back(fmt::format(
            "standard input: it is interlaced (I{}), and each frame, with rows of two times in turn, is computed as one picture",
            words_.interlacing));
    if (words_.interlacing != "p" && words_.interlacing != "t" && words_.interlacing != "b") words_.interlacing.clear();
}

/// Blanks and comments are passed over; the one blank behind a number goes with it.
std::int64_t FrameReader::pnm_number() {
    auto c = pipe_.byte();
    while (c && (is_blank(*c) || *c == '#')) {
        while (*c == '#' && (c = pipe_.byte()) && *c != '\n') {
            while (c && *c != '\n') c = pipe_.byte();
            if (!c) break;
        }
        if (c) c = pipe_.byte();
    }
    std::int64_t value = 0;
    int digits = 0;
    for (; c && *c >= '0' && *c <= '9' && digits < 9; ++digits, c = pipe_.byte()) value = 10 * value + (*c - '0');
    if (digits == 0 || !c || !is_blank(*c))
        fail(fmt::format("has frame {} with a damaged header", frames_), "PGM: P5, width, height, largest value");
    return value;
}

std::optional<FrameReader::Size> FrameReader::pnm_header() {
    const auto p = pipe_.byte();
    if (!p) return std::nullopt;
    const auto digit = pipe_.byte();
    if (*p != 'P' || !digit || (*digit != '5' && *digit != '6'))
        fail(fmt::format("does not have a binary PGM or PPM as frame {}", frames_),
             "frames are P5 or P6, one directly behind the other");
    Size size;
    size.channels = *digit == '6' ? 3 : 1;
    size.width = pnm_number();
    size.height = pnm_number();
    const std::int64_t most = pnm_number();
    if (size.width < 1 || size.height < 1 || size.width > most_a_side || size.height > most_a_side || most < 1 || most > 65535)
        fail(fmt::format("has frame {} of {} x {} pixels up to {}", frames_, size.width, size.height, most));
    size.bytes = most > 255 ? 2 : 1;
    size.largest = most;
    return size;
}

bool FrameReader::read(std::byte* to) {
    if (kind_ == Kind::pgm) {
        if (!header_read_) {
            const auto size = pnm_header();
            if (!size) return false;
            if (*size != size_)
                fail(fmt::format(
                         "has frame {} of {} x {} pixels of {} channels up to {}, unlike the first: {} x {} of {} up to {}",
                         frames_, size->width, size->height, size->channels, size->largest, size_.width, size_.height,
                         size_.channels, size_.largest),
                     "all frames of a stream have one shape and type");
        }
        header_read_ = false;
    } else if (kind_ == Kind::y4m) {
        if (!pipe_.byte()) return false;
        pipe_.put_back();
        const auto line = pipe_.line();
        if (!line || (*line != "FRAME" && !line->starts_with("FRAME ")))
            fail(fmt::format("has no FRAME where frame {} begins", frames_), "the stream is damaged");
    } else {
        const auto more = pipe_.byte();
        if (!more) return false;
        pipe_.put_back();
    }
    if (!pipe_.read(to, desc_.dense_bytes()))
        fail(fmt::format("ended inside frame {}", frames_), "what writes it was ended, or its frames have another size");
    const bool big = kind_ == Kind::pgm || (raw_ && raw_->big_endian);
    if (big != (std::endian::native == std::endian::big)) io::swap_bytes(to, desc_.count(), desc_.type);
    io::make_whole(desc_.type, to, desc_.count());   // as of a file
    std::array<std::byte, 65536> passed;
    for (std::size_t left = behind_; left > 0;) {
        const std::size_t part = std::min(left, passed.size());
        if (!pipe_.read(passed.data(), part)) fail(fmt::format("ended inside frame {}", frames_), "what writes it was ended");
        left -= part;
    }
    ++frames_;
    return true;
}

FrameWriter::FrameWriter(Kind kind, const ArrayDesc& desc, io::WriteOptions options, const VideoWords& words)
    : kind_(kind), options_(std::move(options)), words_(words) {
    if (words_.rate.empty()) words_.rate = "25:1";
    if (words_.aspect.empty()) words_.aspect = "1:1";
    if (options_.frames_a_second > 0) words_.rate = fmt::format("{}:1000", std::llround(options_.frames_a_second * 1000));
    const bool shown = options_.window || options_.window_percentile || !options_.colour_map.empty() || options_.scale_bar ||
                       options_.colour_bar;
    if (kind == Kind::raw && shown)
        throw IoError("standard output", "is raw, which carries values as they are: windows, colours and bars are for pictures",
                      "\"format\": \"pgm\" or \"y4m\"");
    if (kind != Kind::y4m && options_.frames_a_second > 0)
        throw IoError("standard output", "is of a format that says no frames a second",
                      "\"format\": \"y4m\", or leave \"frames_a_second\" out");
    if (kind == Kind::raw) return;
    std::string problem = io::picture::problem(desc, options_, picture_kind(kind));
    const bool as_it_is =
        desc.type == ElementType::u8 || desc.type == ElementType::boolean || (kind == Kind::pgm && desc.type == ElementType::u16);
    const bool cyclic = options_.colour_map == "twilight";
    if (problem.empty() && !as_it_is && !options_.window && !cyclic)
        problem = fmt::format("{} need a \"window\" to be shown: each frame by itself would flicker", desc.describe());
    if (problem.empty() && options_.window_percentile)
        problem = "percentiles of each frame by itself would make it flicker: give a \"window\"";
    if (desc.type == ElementType::boolean && !options_.window) options_.window = std::array<double, 2>{0, 1};
    if (!problem.empty()) throw IoError("standard output", problem, "\"format\": \"raw\" carries values as they are");
}

std::string FrameWriter::bytes_of(const HostArray& array) {
    if (kind_ == Kind::raw) {
        const HostArray dense = array.to_dense();
        return {reinterpret_cast<const char*>(dense.data()), dense.desc.dense_bytes()};
    }
    const HostArray picture = io::picture::make(array, options_, picture_kind(kind_)).to_dense();
    const ArrayDesc& desc = picture.desc;
    const std::int64_t channels = desc.size('c'), width = desc.size('x'), height = desc.size('y');
    const std::size_t bytes = desc.dense_bytes();
    std::string out;
    if (kind_ == Kind::pgm) {
        out = fmt::format("P{}\n{} {}\n{}\n", channels == 3 ? 6 : 5, width, height, desc.type == ElementType::u16 ? 65535 : 255);
        const std::size_t head = out.size();
        out.append(reinterpret_cast<const char*>(picture.data()), bytes);
        if (desc.type == ElementType::u16 && std::endian::native == std::endian::little)
            io::swap_bytes(reinterpret_cast<std::byte*>(out.data() + head), desc.count(), desc.type);
        return out;
    }
    if (!begun_) {
        // Fields are rows in turn, and gone where there are fewer. Colours are of the limited range, a window's ends of the full.
        const bool as_they_are = channels == 1 && (!options_.window || words_.range == "FULL");
        out = fmt::format("YUV4MPEG2 W{} H{} F{} I{} A{} C{}{}\n", width, height, words_.rate,
                          words_.interlacing.empty() || height != words_.rows ? "p" : words_.interlacing, words_.aspect,
                          channels == 3 ? "444" : "mono",
                          as_they_are && !words_.range.empty() ? " XCOLORRANGE=" + words_.range : "");
        begun_ = true;
    }
    out += "FRAME\n";
    const auto* const from = picture.as<std::uint8_t>();
    if (channels == 1) return out.append(reinterpret_cast<const char*>(from), bytes);
    const std::size_t pixels = bytes / 3, head = out.size();
    out.resize(head + bytes);
    for (std::size_t i = 0; i < pixels; ++i) {
        const auto parts = to_ycbcr(from + 3 * i);
        for (std::size_t p = 0; p < 3; ++p) out[head + p * pixels + i] = static_cast<char>(parts[p]);
    }
    return out;
}

}   // namespace parallax::engine::stream
