// Video by the programs ffmpeg and ffprobe, where they are installed, through a pipe: AVI, the MP4 family, Matroska and WebM in,
// MP4 out. Frames are 8-bit grey or red, green and blue.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <chrono>
#include <cmath>

#include "io/decimal.hpp"
#include "io/file.hpp"
#include "io/part_file.hpp"
#include "io/picture/picture.hpp"
#include "io/reader_file.hpp"
#include "io/text_header.hpp"
#include "parallax/host/error.hpp"
#include "support/child.hpp"

namespace parallax::io::video {
namespace {

constexpr std::uint64_t best_ratio = 200000;   ///< a frame like the one before it is some ten bytes
constexpr picture::Kind video_kind = {"a video", true};
constexpr double longest_frame = 1e4;   ///< s: from some 40,000 on ffmpeg writes no MP4
constexpr const char* again = "the file is damaged, or of a kind that ffmpeg does not decode: try `ffmpeg -i FILE frame%04d.png`";

/// The demuxer of a file by its first bytes, so that ffmpeg takes it for nothing else (a list of other files, say); null: none.
const char* demuxer_of(Head head) {
    const auto at = [&](std::size_t from, std::string_view text) {
        return head.size() >= from + text.size() && std::memcmp(head.data() + from, text.data(), text.size()) == 0;
    };
    if (at(0, "RIFF") && at(8, "AVI ")) return "avi";
    if (at(0, "\x1a\x45\xdf\xa3")) return "matroska";
    if (!at(4, "ftyp")) return nullptr;
    for (const char* const brand :
         {"isom", "iso2", "iso4", "iso5", "iso6", "mp41", "mp42", "avc1", "M4V ", "qt  ", "dash", "3gp"}) {
        if (at(8, brand)) return "mov";
    }
    return nullptr;
}

/// Empty: it is not installed.
std::string program_for(const char* name) {
    try {
        return host::program_path(name).string();
    } catch (const ConfigError&) {
        return {};
    }
}

std::string needed(const Source& source, const char* name) {
    std::string program = program_for(name);
    if (program.empty())
        fail(source, fmt::format("is a video, and the program {}, which decodes such, is not installed", name),
             "install the package ffmpeg, or write its frames as PNG or TIFF");
    return program;
}

/// What ffprobe and ffmpeg have to be told of every file.
std::vector<std::string> input_of(const Source& source) {
    std::array<unsigned char, 32> head{};
    File file = source.open();
    const std::size_t got = file.read_some(head.data(), head.size());
    const char* const demuxer = demuxer_of(Head(head.data(), got));
    if (!demuxer) fail(source, "is no video that is known", again);
    if (std::memcmp(head.data(), "RIFF", 4) == 0) {   // ffprobe says nothing where it ends between two frames
        const std::uint64_t bytes = head[4] | head[5] << 8 | head[6] << 16 | std::uint64_t{head[7]} << 24;
        if (bytes + 8 > source.bytes + 1)
            fail(source, fmt::format("ends after {} of its {} bytes", source.bytes, bytes + 8),
                 "the film is cut off: write or copy it again");
    }
    return {"-v", "error", "-protocol_whitelist", "file", "-f", demuxer, "-i", path_for_child(source.path)};
}

std::chrono::duration<double> seconds_for(std::uint64_t bytes) {
    return std::chrono::duration<double>(120 + 1e-6 * static_cast<double>(bytes));
}

std::string last_words(const host::Child& child) {
    const std::string words = without_ways(child.last_message());
    return words.empty() ? child.ending() : shortened(words);
}

struct Video {
    FileInfo file;
    bool grey = false;
};

/// What a line of ffprobe's (compact) has of that name: "stream|width=64|tag:alpha_mode=1|side_data|rotation=90". Empty: nothing.
std::string_view said(std::string_view line, std::string_view name) {
    for (std::size_t at = line.find(name); at != std::string_view::npos; at = line.find(name, at + 1)) {
        const std::string_view rest = line.substr(at + name.size());
        const bool begins = at > 0 && (line[at - 1] == '|' || line[at - 1] == ':');
        if (begins && rest.starts_with('=')) return rest.substr(1, rest.find('|') - 1);
    }
    return {};
}

/// VP8 and VP9 keep it beside the pixels.
bool has_alpha(std::string_view stream, std::string_view pixels) {
    const auto has = [&](std::string_view part) { return pixels.find(part) != std::string_view::npos; };
    return pixels.starts_with("yuva") || pixels.starts_with("ya") || pixels.starts_with("gbrap") || has("rgba") || has("bgra") ||
           has("argb") || has("abgr") || said(stream, "alpha_mode") == "1" || said(stream, "ALPHA_MODE") == "1";
}

/// One by a rate of the stream's, such as "30000/1001"; 0: it says none.
double seconds_a_frame(std::string_view stream, std::string_view name) {
    const std::string_view rate = said(stream, name);
    const std::size_t slash = std::min(rate.find('/'), rate.size());
    const double up = number_of(rate.substr(0, slash)).value_or(0),
                 down = slash < rate.size() ? number_of(rate.substr(slash + 1)).value_or(0) : 1;
    return up > 0 && down > 0 ? down / up : 0;
}

/// All frames of a film, which are alike, and the stream that they are of, in ffprobe's words.
struct Frames {
    std::int64_t count = 0;
    std::string first, stream;
};

/// Programs scale later frames to the size of the first one, or make them grey as that is: other pixels than the film has.
[[noreturn]] void refuse_unlike(const Source& source, const Frames& frames, std::string_view other) {
    const auto size = [](std::string_view frame) { return fmt::format("{} x {}", said(frame, "width"), said(frame, "height")); };
    const bool sizes = size(frames.first) != size(other);
    fail(source,
         fmt::format("changes {} at frame {}, from {} to {}", sizes ? "the size of its pictures" : "how its pixels are stored",
                     frames.count, sizes ? size(frames.first) : said(frames.first, "pix_fmt"),
                     sizes ? size(other) : said(other, "pix_fmt")),
         "cut it there, or make a film of one kind of it: ffmpeg -i FILE -vf scale=WIDTH:HEIGHT -pix_fmt yuv420p OTHER.mp4");
}

/// Keeps no line but two, of however many frames they tell.
Frames frames_of(const Source& source, host::Child& child) {
    Frames frames;
    const auto unlike = [&](std::string_view line) {
        const auto other = [&](const char* name) { return said(line, name) != said(frames.first, name); };
        return other("width") || other("height") || other("pix_fmt");
    };
    while (auto line = child.read_line(seconds_for(source.bytes))) {
        if (line->starts_with("stream|")) frames.stream = std::move(*line);
        if (!line->starts_with("frame|")) continue;
        if (frames.count == 0) frames.first = std::move(*line);
        else if (unlike(*line)) refuse_unlike(source, frames, *line);
        ++frames.count;
    }
    return frames;
}

Video look(const Source& source) {
    host::Child::Options options;
    options.apart = true;
    options.arguments = input_of(source);
    options.arguments.insert(options.arguments.begin(), needed(source, "ffprobe"));
    for (const char* const word : {"-select_streams", "v:0", "-show_entries",
                                   "frame=width,height,pix_fmt:stream=avg_frame_rate,r_frame_rate,codec_name,"
                                   "sample_aspect_ratio:stream_tags=alpha_mode:stream_side_data=rotation",
                                   "-of", "compact"})
        options.arguments.emplace_back(word);
    host::Child child(options);
    const auto [frames, first, stream] = frames_of(source, child);
    child.leave(std::chrono::duration<double>(10));
    if (stream.empty() && child.ending() == "exit status 0")
        fail(source, "holds no pictures: of sound alone, most likely", "choose a video");
    if (stream.empty()) fail(source, fmt::format("cannot be read as a video: {}", last_words(child)), again);
    // What it tells of, its status says nothing of: frames that it leaves out, or makes up.
    // Lines that are not of the film (a dynamic linker's, say) begin otherwise.
    const std::string message = child.last_message();
    if (child.ending() != "exit status 0" || message.starts_with('[') || message.find("message repeated") != std::string::npos)
        fail(source, fmt::format("is a damaged video: {}", last_words(child)), again);
    const std::int64_t width = integer_of(said(first, "width")).value_or(0),
                       height = integer_of(said(first, "height")).value_or(0);
    if (frames < 1) fail(source, "is a video without frames that can be decoded", again);
    Video video;
    const std::string_view pixels = said(first, "pix_fmt");
    video.grey = pixels.starts_with("gray") || pixels.starts_with("mono");
    std::vector<ArrayDesc::Extent> extents;
    if (frames > 1) extents.push_back({'t', frames});
    extents.push_back({'y', height});
    extents.push_back({'x', width});
    if (!video.grey) extents.push_back({'c', 3});
    FileInfo& file = video.file;
    file.format = "video";
    file.file_bytes = source.bytes;
    file.desc = declared(source, ElementType::u8, extents);
    file.colour = video.grey ? Colour::grey : Colour::rgb;
    file.page_axes = frames > 1 ? 1 : 0;
    check_plausible(source, file.desc.dense_bytes(), source.bytes, best_ratio);
    if (const double mean = seconds_a_frame(stream, "avg_frame_rate"); frames > 1 && mean > 0) {
        file.desc = file.desc.with_spacing('t', as_decimal(mean));
        // The rate that fits every frame's time is theirs, or twice that for frames of two fields; else they come unevenly.
        const double finest = seconds_a_frame(stream, "r_frame_rate"), ratio = finest > 0 ? mean / finest : 1;
        if (std::abs(ratio - 1) > 0.01 && std::abs(ratio - 2) > 0.02)
            file.warnings.push_back(
                fmt::format("its frames are shown for times of different lengths: {:.4g} s, their mean, is taken for all", mean));
    }
    if (pixels.find("10") != std::string::npos || pixels.find("12") != std::string::npos ||
        pixels.find("16") != std::string::npos)
        file.warnings.push_back(fmt::format("its pixels ({}) have more than 8 bits, and are read with 8", pixels));
    if (has_alpha(stream, pixels)) file.ignored.push_back("how transparent its pixels are");
    const std::string_view aspect = said(stream, "sample_aspect_ratio");
    if (!aspect.empty() && aspect != "1:1" && aspect != "0:1" && aspect != "N/A")
        file.warnings.push_back(
            fmt::format("its pixels are not square, but {} as wide as high: they are read as they are stored", aspect));
    if (const double turn = number_of(said(stream, "rotation")).value_or(0); turn != 0)   // in degrees
        file.warnings.push_back(fmt::format("it is to be shown turned by {} degrees: it is read as it is stored", turn));
    file.detail = fmt::format("{}, {}, {} frame{}", said(stream, "codec_name"), pixels, frames, frames == 1 ? "" : "s");
    return video;
}

}   // namespace

bool matches(Head head) { return demuxer_of(head) != nullptr; }

FileInfo info(const Source& source) { return look(source).file; }

HostArray read(const Source& source) {
    const Video video = look(source);
    const auto [first, end] = chosen_pages(source.name, video.file, source.options);
    FileInfo part = video.file;
    part.desc = chosen(source.name, video.file, source.options);
    host::Child::Options options;
    options.apart = true;
    options.arguments = input_of(source);
    options.arguments.insert(options.arguments.begin(), {needed(source, "ffmpeg"), "-nostdin", "-noautorotate"});
    for (const char* const word :
         {"-map", "0:v:0", "-vsync", "passthrough", "-f", "rawvideo", "-pix_fmt", video.grey ? "gray" : "rgb24", "pipe:1"})
        options.arguments.emplace_back(word);
    host::Child child(options);
    return read_picture(source, part, [&, first = first, end = end](std::byte* to) {
        const std::size_t frame = part.desc.dense_bytes() / static_cast<std::size_t>(end - first);
        std::vector<std::byte> passed(first > 0 ? frame : 0);
        bool there = true;
        for (std::int64_t i = 0; i < first && there; ++i)
            there = child.read_into(passed.data(), frame, seconds_for(source.bytes));
        if (there && child.read_into(to, part.desc.dense_bytes(), seconds_for(source.bytes + part.desc.dense_bytes()))) return;
        child.end();
        fail(source, fmt::format("ends before frame {}: {}", end - 1, last_words(child)), again);
    });
}

std::string refusal(const ArrayDesc& desc, const WriteOptions& options) {
    if (program_for("ffmpeg").empty())
        return "the program ffmpeg, which writes videos, is not installed: install the package ffmpeg";
    std::string why = picture::problem(desc, options, video_kind);
    return why.empty() ? picture::pace_problem(desc, options, video_kind, longest_frame) : why;
}

void write(const std::filesystem::path& path, const std::string& name, const HostArray& given, const WriteOptions& asked) {
    const HostArray array = picture::make(given, asked, video_kind);
    const double rate = picture::frame_rate(given.desc, asked);
    const FileForChild file(path, name);
    host::Child::Options options;
    options.apart = true;
    options.arguments = {
        program_for("ffmpeg"), "-v", "error", "-xerror",   // else what fails at its end, the index included, is status 0
        "-y", "-f", "rawvideo", "-pix_fmt", array.desc.find('c') ? "rgb24" : "gray", "-s",
        fmt::format("{}x{}", array.desc.size('x'), array.desc.size('y')), "-r", fmt::format("{}", rate), "-i", "pipe:0",
        // Players want even sizes and halved colours.
        "-vf", "pad=ceil(iw/2)*2:ceil(ih/2)*2", "-c:v", "libx264", "-crf", "18", "-pix_fmt", "yuv420p", "-movflags", "+faststart",
        "-f", "mp4", path_for_child(file.path())};
    host::Child child = writer_for(name, options);
    child.write({reinterpret_cast<const char*>(array.data()), array.desc.dense_bytes()});   // where it fails, the status says so
    child.leave(seconds_for(20 * array.desc.dense_bytes()));
    if (child.ending() != "exit status 0")
        throw IoError(
            name, fmt::format("cannot be written by ffmpeg: {}", last_words(child)),
            "see whether the disk is full, files may be longer than this (--limit output=SIZE, ulimit -f), ffmpeg has memory "
            "enough, for which --limit memory=SIZE goes, too, and what `ffmpeg -encoders` lists");
}

}   // namespace parallax::io::video
