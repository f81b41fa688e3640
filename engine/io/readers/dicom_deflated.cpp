#include "io/readers/dicom_deflated.hpp"

#include <gdcmFileMetaInformation.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <fstream>
#include <memory>
#include <iterator>
#include <new>
#include <string_view>

namespace parallax::io::readers::dicom {

namespace fs = std::filesystem;

namespace {

// Beside the pixels, and a quarter of them for what is told of each frame.
constexpr std::uint64_t at_any_rate = 16 << 20, for_a_byte = 2, best_ratio = 1032;
// What says how many pixels there are stands near the beginning.
constexpr std::uint64_t at_any_rate_before = 8 << 20;
constexpr std::uint64_t for_an_object = 128;   // that GDCM makes of an element or an item, at least

/// What stands before the elements of a file that is not packed.
std::string_view plain_head() {
    using namespace std::string_view_literals;
    static const std::string head = std::string(128, '\0') + "DICM" + std::string("\2\0\0\0UL\4\0\x1c\0\0\0"sv) +
                                    std::string("\2\0\x10\0UI\x14\0"sv) + "1.2.840.10008.1.2.1" + '\0';
    return head;
}

/// Where the packed elements begin, as GDCM finds them.
bool leads_to_packed(std::ifstream& in) {
    try {
        gdcm::FileMetaInformation meta;
        try {
            meta.GetPreamble().Read(in);
        } catch (const std::exception&) {   // a file may be without it
            in.clear();
            in.seekg(0);
        }
        meta.ReadCompat(in);
        return meta.GetDataSetTransferSyntax() == gdcm::TransferSyntax::DeflatedExplicitVRLittleEndian && in.good();
    } catch (const std::exception&) {
        return false;
    }
}

/// A stream of deflate, or one of gzip, which GDCM takes as well.
class Stream {
public:
    explicit Stream(std::ifstream& in) : in_(in) {
        take();
        const bool gzip = zip_.avail_in >= 2 && zip_.next_in[0] == 0x1f && zip_.next_in[1] == 0x8b;
        if (inflateInit2(&zip_, gzip ? 16 + MAX_WBITS : -MAX_WBITS) != Z_OK) throw std::bad_alloc();
    }
    ~Stream() { inflateEnd(&zip_); }
    Stream(const Stream&) = delete;
    Stream& operator=(const Stream&) = delete;

    /// Until there are `most` bytes in `to`, or no more.
    void append(std::string& to, std::uint64_t most) {
        to.reserve(most);
        std::array<char, 65536> part{};
        while (state_ == Z_OK && to.size() < most) {
            if (zip_.avail_in == 0) take();
            zip_.next_out = reinterpret_cast<Bytef*>(part.data());
            zip_.avail_out = static_cast<uInt>(std::min<std::uint64_t>(part.size(), most - to.size()));
            const uInt room = zip_.avail_out;
            state_ = inflate(&zip_, Z_NO_FLUSH);   // Z_BUF_ERROR: there is no more in the file
            to.append(part.data(), room - zip_.avail_out);
        }
    }
    bool ended() const { return state_ != Z_OK; }
    bool damaged() const { return ended() && state_ != Z_STREAM_END; }

private:
    void take() {
        in_.read(buffer_.data(), static_cast<std::streamsize>(buffer_.size()));
        zip_.next_in = reinterpret_cast<Bytef*>(buffer_.data());
        zip_.avail_in = static_cast<uInt>(in_.gcount());
    }

    std::ifstream& in_;
    std::array<char, 65536> buffer_{};
    z_stream zip_{};
    int state_ = Z_OK;
};

/// What stands in elements one after the other, each with its type, little endian: how many bytes of pixels are declared, and
/// where they end. GDCM ends the process for some that are cut off.
class Walk {
public:
    enum class End { pixels, cut_off, other };

    explicit Walk(std::string_view text) : text_(text) {
        try {
            elements(plain_head().size(), false, 0, text_.size());
        } catch (End reached) {
            end_ = reached;
        }
    }
    End end() const { return end_; }
    std::size_t behind_pixels() const { return behind_pixels_; }
    /// Elements and items of sequences, at every level, of which GDCM keeps each.
    std::uint64_t objects() const { return objects_; }
    /// 0 where not all is there that says it.
    std::uint64_t declared() const {
        const double bits = static_cast<double>(rows_ * columns_) * static_cast<double>(samples_ * allocated_) *
                            static_cast<double>(frames_);
        return static_cast<std::uint64_t>(std::min(bits / 8, 0x1p60));
    }

private:
    static constexpr std::uint32_t undefined = 0xffffffff;
    static constexpr int most_levels = 64;
    static constexpr std::size_t open = SIZE_MAX;   ///< up to a mark

    std::uint64_t number(std::size_t at, std::size_t bytes) const {
        if (at > text_.size() || text_.size() - at < bytes) throw End::cut_off;
        std::uint64_t value = 0;
        for (std::size_t i = bytes; i-- > 0;) value = value << 8 | static_cast<unsigned char>(text_[at + i]);
        return value;
    }

    /// Up to the mark of an item's end, or to `end`. Without types inside an element of unknown type.
    std::size_t elements(std::size_t at, bool untyped, int level, std::size_t end) {
        while (at < end) {
            const auto group = number(at, 2), element = number(at + 2, 2);
            if (group == 0xfffe && element == 0xe00d) return at + 8;
            if (group == 0xfffe) throw End::other;
            number(at, 8);
            ++objects_;
            const std::string_view type = untyped ? std::string_view() : text_.substr(at + 4, 2);
            static constexpr std::string_view of_four_bytes[] = {"OB", "OD", "OF", "OL", "OV", "OW", "SQ",
                                                                 "SV", "UC", "UN", "UR", "UT", "UV"};
            const bool wide = std::find(std::begin(of_four_bytes), std::end(of_four_bytes), type) != std::end(of_four_bytes);
            const std::uint64_t length = !untyped && !wide ? number(at + 6, 2) : number(at + (wide ? 8 : 4), 4);
            at += wide ? 12 : 8;
            if (length == undefined) {
                at = items(at, type == "UN" || untyped, level + 1, level == 0 ? open : end);
                continue;
            }
            if (text_.size() < at || text_.size() - at < length) throw End::cut_off;
            if (level == 0) note(group, element, at, length);
            if (type == "SQ") count([&] { items(at, false, level + 1, std::min<std::size_t>(at + length, end)); });
            at += length;
        }
        return at;
    }

    std::size_t items(std::size_t at, bool untyped, int level, std::size_t end) {
        if (level > most_levels) throw End::other;
        while (at < end) {
            const std::uint64_t mark = number(at, 4), length = number(at + 4, 4);
            at += 8;
            if (mark == 0xe0ddfffe) return at;
            if (mark != 0xe000fffe) throw End::other;
            ++objects_;
            if (length == undefined) {
                at = elements(at, untyped, level, end);
                continue;
            }
            count([&] { elements(at, untyped, level, std::min<std::size_t>(at + length, end)); });
            at += length;
        }
        return at;
    }

    /// What has a length need not be understood to go on behind it.
    template <class Within>
    static void count(const Within& within) {
        try {
            within();
        } catch (End) {
        }
    }

    void note(std::uint64_t group, std::uint64_t element, std::size_t at, std::uint64_t length) {
        if (group == 0x7fe0 && element == 0x0010) {
            behind_pixels_ = at + length;
            throw End::pixels;
        }
        if (group != 0x0028 || length < 2) return;
        if (element == 0x0002) samples_ = number(at, 2);
        if (element == 0x0010) rows_ = number(at, 2);
        if (element == 0x0011) columns_ = number(at, 2);
        if (element == 0x0100) allocated_ = number(at, 2);
        if (element != 0x0008) return;
        const std::string_view said = text_.substr(at, length);   // as text
        const std::size_t begin = std::min(said.find_first_not_of(" +"), said.size());
        std::uint32_t frames = 1;
        std::from_chars(said.data() + begin, said.data() + said.size(), frames);
        frames_ = frames;
    }

    std::string_view text_;
    End end_ = End::other;
    std::size_t behind_pixels_ = 0;
    std::uint64_t objects_ = 0;
    std::uint64_t rows_ = 0, columns_ = 0, samples_ = 1, allocated_ = 8, frames_ = 1;
};

}   // namespace

std::optional<std::string> unpack_deflated(const fs::path& path, std::uint64_t bytes) {
    std::ifstream in(path, std::ios::binary);
    if (!leads_to_packed(in)) return std::nullopt;
    const auto stream = std::make_unique<Stream>(in);
    std::string text(plain_head());
    stream->append(text, at_any_rate_before + for_a_byte * bytes);
    std::uint64_t declared = 0;
    if (!stream->ended()) {
        declared = std::min(Walk(text).declared(), best_ratio * bytes);
        const std::uint64_t most = at_any_rate + for_a_byte * bytes + declared + declared / 4;
        const RoomFor room(2 * most + (1 << 20));   // a string that grows is twice as long at least
        stream->append(text, most);
    }
    const Walk walk(text);
    if (walk.end() == Walk::End::pixels)
        text.resize(walk.behind_pixels());
    else if (!stream->ended())
        throw Problem{"is a deflated DICOM file of " + std::to_string(bytes) + " bytes that unpack to more than " +
                          std::to_string(text.size()) +
                          (declared == 0 ? std::string(" before they say how many pixels it has")
                                         : " before the end of its pixels, which are " + std::to_string(declared) + " bytes"),
                      "see which of its elements is so long, for instance by dcmdump, and write it without that one"};
    else if (stream->damaged() || walk.end() == Walk::End::cut_off)
        throw Problem{"is a deflated DICOM file that ends before its elements do, or is damaged, behind " +
                          std::to_string(text.size() - plain_head().size()) + " unpacked bytes",
                      "write or copy it again"};
    if (walk.objects() > room_for_unpacked(text.size(), bytes) / for_an_object)
        throw Problem{"is a deflated DICOM file of " + std::to_string(bytes) + " bytes that unpack to " + std::to_string(walk.objects()) +
                          " elements and items of sequences, which take more memory than a file of its length may",
                      "see which of its sequences is so long, for instance by dcmdump, and write it without that one"};
    return text;
}

std::uint64_t room_for_unpacked(std::uint64_t unpacked, std::uint64_t bytes) { return 2 * unpacked + 8 * bytes + (24 << 20); }

bool read_unpacked(gdcm::Reader& reader, const gdcm::Tag& tag) {
    try {
        if (reader.ReadUpToTag(tag)) return true;
    } catch (const std::bad_alloc&) {   // told as below
    }
    throw Problem{"is a deflated DICOM file that cannot be read as such in the memory that one of its length may take",
                  "write it without that packing, for instance by dcmconv +te"};
}

RoomFor::RoomFor([[maybe_unused]] std::uint64_t bytes) {
#if !PARALLAX_ADDRESS_SANITIZER && !PARALLAX_THREAD_SANITIZER
    const std::uint64_t held = addresses();
    rlimit limit{};
    if (held == 0 || getrlimit(RLIMIT_AS, &limit) != 0) return;
    before_ = limit;
    allow(held + bytes);
#endif
}

RoomFor::~RoomFor() {
    if (before_) setrlimit(RLIMIT_AS, &*before_);
}

}   // namespace parallax::io::readers::dicom
