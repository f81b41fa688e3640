#include "io/readers/dicom_whole.hpp"

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "io/readers/dicom_deflated.hpp"
#include "io/readers/dicom_header.hpp"
#include "io/readers/serve.hpp"

namespace parallax::io::readers::dicom {

namespace fs = std::filesystem;

namespace {

/// What the standard does not know.
struct Other {};

class Walk {
public:
    Walk(const fs::path& path, std::uint64_t bytes) : in_(path, std::ios::binary), bytes_(bytes) {
        marked_ = bytes_ >= 132 && text(128, 4) == "DICM";
    }

    void go() {
        std::uint64_t at = marked_ ? 132 : 0;
        const std::uint64_t begin = at;
        std::string syntax;
        while (number(at, 2) == 2) {   // each with its type, little endian, whatever comes behind them
            const Element one = element(at);
            if (one.tag == 0x00020010) syntax = text(one.value, std::min<std::uint64_t>(one.length, 64));
            at = behind(one);
        }
        while (!syntax.empty() && (syntax.back() == '\0' || syntax.back() == ' ')) syntax.pop_back();
        if (syntax == deflated || (syntax.empty() && (at != begin || number(at, 2) != 8))) throw Other();
        typed_ = syntax.empty() ? is_type(text(at + 4, 2)) : syntax != "1.2.840.10008.1.2" && syntax != "1.2.840.113619.5.2";
        big_ = syntax == "1.2.840.10008.1.2.2";
        for (std::uint32_t before = 0; at < bytes_;) {
            const Element one = element(at);
            if (one.tag <= before) throw Other();   // they ascend
            if (one.tag >= 0x7fe00008) return;
            at = one.length == undefined ? items(one.value, one.untyped, 1) : behind(one);
            before = one.tag;
        }
    }

    bool marked() const { return marked_; }

private:
    static constexpr std::uint32_t undefined = 0xffffffff, item = 0xfffee000, end_of_item = 0xfffee00d, end_of_items = 0xfffee0dd;
    static constexpr int most_levels = 64;

    struct Element {
        std::uint32_t tag = 0, length = 0;
        std::uint64_t value = 0;   ///< where it begins
        bool untyped = false;      ///< what is in it has no types
    };

    static bool is_type(std::string_view text) {
        return std::all_of(text.begin(), text.end(), [](char c) { return c >= 'A' && c <= 'Z'; });
    }

    /// From a piece of the file that is held: elements are small, and stand one behind the other.
    std::string text(std::uint64_t at, std::uint64_t count) {
        if (at > bytes_ || bytes_ - at < count)
            throw Problem{"ends after " + std::to_string(bytes_) + " bytes, inside an element of its header", again};
        if (at < begin_ || at + count > begin_ + piece_.size()) {
            piece_.resize(static_cast<std::size_t>(std::min<std::uint64_t>(bytes_ - at, 1 << 16)));
            in_.clear();
            in_.seekg(static_cast<std::streamoff>(at)).read(piece_.data(), static_cast<std::streamsize>(piece_.size()));
            piece_.resize(static_cast<std::size_t>(in_.gcount()));
            begin_ = at;
            if (piece_.size() < count) throw Other();   // it has become shorter, or cannot be read
        }
        return {piece_.data() + (at - begin_), static_cast<std::size_t>(count)};
    }

    std::uint32_t number(std::uint64_t at, std::size_t count) {
        const std::string raw = text(at, count);
        std::uint32_t value = 0;
        for (std::size_t i = 0; i < count; ++i)
            value |= std::uint32_t{static_cast<unsigned char>(raw[i])} << 8 * (big_ ? count - 1 - i : i);
        return value;
    }

    /// `typed`: with its type, as elements have unless a sequence without types holds them.
    Element element(std::uint64_t at, bool typed) {
        Element one{number(at, 2) << 16 | number(at + 2, 2), 0, at + 8, !typed};
        const std::string type = text(at + 4, 2);
        if (!typed || one.tag >> 16 == 0xfffe) {
            one.length = number(at + 4, 4);
            // Those of types all the same, and a length that GDCM takes for another.
            if ((one.length > bytes_ - one.value && one.length != undefined && is_type(type)) || one.length == 13) throw Other();
            return one;
        }
        if (!is_type(type)) throw Other();
        constexpr std::string_view of_four_bytes[] = {"OB", "OD", "OF", "OL", "OV", "OW", "SQ", "SV", "UC", "UN", "UR", "UT", "UV"};
        const bool wide = std::find(std::begin(of_four_bytes), std::end(of_four_bytes), type) != std::end(of_four_bytes);
        one.length = wide ? number(at + 8, 4) : number(at + 6, 2);
        one.value = at + (wide ? 12 : 8);
        one.untyped = type == "UN";
        return one;
    }
    Element element(std::uint64_t at) { return element(at, typed_); }

    /// Of one whose length is known.
    std::uint64_t behind(const Element& one) const {
        if (one.length == undefined) throw Other();
        const std::uint64_t left = bytes_ - one.value;
        if (one.length <= left) return one.value + one.length;
        char tag[16];
        std::snprintf(tag, sizeof tag, "(%04x,%04x)", one.tag >> 16, one.tag & 0xffff);
        throw Problem{std::string("says that its element ") + tag + " takes " + std::to_string(one.length) + " bytes, and ends after " +
                          std::to_string(left) + " of them",
                      again};
    }

    /// Behind the mark that ends a sequence.
    std::uint64_t items(std::uint64_t at, bool untyped, int level) {
        if (level > most_levels) throw Other();
        while (true) {
            const Element one = element(at, false);
            if (one.tag == end_of_items) return one.value;
            if (one.tag != item) throw Other();
            at = one.value;
            if (one.length != undefined) {
                at = behind(one);
                continue;
            }
            while (true) {
                const Element within = element(at, !untyped);
                at = within.value;
                if (within.tag == end_of_item) break;
                if (within.tag >> 16 == 0xfffe) throw Other();
                at = within.length == undefined ? items(at, within.untyped, level + 1) : behind(within);
            }
        }
    }

    std::ifstream in_;
    std::uint64_t bytes_;
    bool marked_ = false, typed_ = true, big_ = false;
    std::uint64_t begin_ = 0;   ///< of the piece
    std::vector<char> piece_;
};

}   // namespace

void check_header_whole(const fs::path& path, std::uint64_t bytes) {
    Walk walk(path, bytes);
    try {
        walk.go();
    } catch (const Other&) {
    } catch (const Problem& problem) {
        if (!walk.marked()) throw NoPicture{problem};
        throw;
    }
}

}   // namespace parallax::io::readers::dicom
