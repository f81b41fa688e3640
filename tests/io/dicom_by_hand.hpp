// DICOM files made by hand, for whatever a test wants of them.
#pragma once

#include <doctest/doctest.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "io/bytes.hpp"
#include "support/helper.hpp"

namespace parallax::tests {

/// A file of 2 rows of 2 pixels where nothing else is said, little endian, each element with its type. What a test leaves out is
/// absent.
struct Dicom {
    std::uint16_t rows = 2, columns = 2;
    std::optional<std::uint16_t> samples = 1, planar, allocated = 8, stored = 8, high = 7, sign = 0;
    std::string syntax = "1.2.840.10008.1.2.1";
    std::optional<std::uint16_t> overlay_bit;   ///< where the pixels hold one
    std::optional<std::string> photometric = "MONOCHROME2";
    std::vector<std::uint16_t> palette;   ///< entries, first, bits, for all three colours
    std::string frame_ms;                 ///< with a second frame
    std::string frames;
    std::string slope, intercept;
    std::vector<std::uint16_t> table;   ///< what stands for 0, 1 ... (Modality LUT, of 16 bits)
    std::string position, directions = "1\\0\\0\\0\\1\\0";   ///< where a position is said
    std::string spacing;    ///< of pixels; with a position .5 mm where nothing else is said
    std::optional<std::string> shared_slope;   ///< of an enhanced file, with an intercept of 0; empty: a group without
    std::vector<std::string> frame_slopes;     ///< the same of each frame
    struct FramePlace {
        std::string position, directions = "1\\0\\0\\0\\1\\0", spacing = ".5\\.5";
    };
    std::vector<FramePlace> frame_places;   ///< of an enhanced file, instead
    std::string between;             ///< slices
    std::string offsets;             ///< of frames of a dose
    std::string detector_position;   ///< of nuclear medicine, with directions
    std::string blue;   ///< entries of blue, where they are others
    std::string entries, pixels = std::string("\x01\x02\x03\xff", 4);
    std::vector<std::string> fragments;   ///< in place of pixels, behind an empty table of where frames begin
    std::size_t private_zeros = 0;        ///< in an element before most others
    std::size_t private_items = 0;        ///< empty ones of a sequence, likewise
    std::string image_type, modality;
    std::vector<std::int16_t> padding;    ///< value, and limit
    std::vector<double> mapping;          ///< slope and intercept to the real world
    std::string behind;                   ///< the pixels, in an element of its own
    bool delimited = true;                ///< with the mark behind the last of them

    std::string bytes() const {
        Bytes meta;
        element(meta, 2, 0x10, "UI", syntax + (syntax.size() % 2 ? std::string(1, '\0') : ""));
        Bytes file;
        file.pad_to(128).add_text("DICM");
        element(file, 2, 0, "UL", Bytes{}.add<std::uint32_t>(static_cast<std::uint32_t>(meta.text.size())).text);
        file.add_text(meta.text);
        const auto code = [&](std::uint16_t number, const std::string& value) {
            if (!value.empty()) element(file, 0x08, number, "CS", value + (value.size() % 2 ? " " : ""));
        };
        code(0x08, image_type), code(0x60, modality);
        if (private_items > 0) {
            Bytes items;
            for (std::size_t i = 0; i < private_items; ++i) item(items, 0xe000, "");
            element(file, 0x09, 0x1001, "SQ", items.text);
        }
        if (private_zeros > 0) element(file, 0x09, 0x1001, "OW", std::string(private_zeros, '\0'));
        const auto decimals = [&](std::uint16_t group, std::uint16_t number, const std::string& value) {
            element(file, group, number, "DS", value + (value.size() % 2 ? " " : ""));
        };
        if (!between.empty()) decimals(0x18, 0x88, between);
        if (!frame_ms.empty()) element(file, 0x18, 0x1063, "DS", frame_ms);
        if (!position.empty()) decimals(0x20, 0x32, position), decimals(0x20, 0x37, directions);
        word(file, 0x02, samples);
        if (photometric) element(file, 0x28, 0x04, "CS", *photometric + (photometric->size() % 2 ? " " : ""));
        word(file, 0x06, planar);
        const std::string count = frames.empty() && !frame_ms.empty() ? "2" : frames;
        if (!count.empty()) element(file, 0x28, 0x08, "IS", count + (count.size() % 2 ? " " : ""));
        word(file, 0x10, rows), word(file, 0x11, columns);
        if (!position.empty() || !spacing.empty()) decimals(0x28, 0x30, spacing.empty() ? ".5\\.5" : spacing);
        word(file, 0x100, allocated), word(file, 0x101, stored), word(file, 0x102, high), word(file, 0x103, sign);
        for (std::size_t i = 0; i < padding.size(); ++i)
            element(file, 0x28, static_cast<std::uint16_t>(0x120 + i), "SS", Bytes{}.add(padding[i]).text);
        if (!intercept.empty()) decimals(0x28, 0x1052, intercept);
        if (!slope.empty()) decimals(0x28, 0x1053, slope);
        if (!table.empty()) element(file, 0x28, 0x3000, "SQ", table_of_values());
        for (std::uint16_t c = 0; c < 3 && !palette.empty(); ++c) {
            Bytes words;
            for (const std::uint16_t value : palette) words.add(value);
            element(file, 0x28, static_cast<std::uint16_t>(0x1101 + c), "US", words.text);
        }
        for (std::uint16_t c = 0; c < 3 && !palette.empty(); ++c)
            element(file, 0x28, static_cast<std::uint16_t>(0x1201 + c), "OW", c == 2 && !blue.empty() ? blue : entries);
        if (!mapping.empty()) element(file, 0x40, 0x9096, "SQ", real_world());
        if (!detector_position.empty()) element(file, 0x54, 0x22, "SQ", detector());
        if (!offsets.empty()) decimals(0x3004, 0x0c, offsets);
        if (overlay_bit) element(file, 0x6002, 0x102, "US", Bytes{}.add(*overlay_bit).text);
        if (shared_slope) element(file, 0x5200, 0x9229, "SQ", group_of(*shared_slope));
        std::string groups;
        for (const std::string& one : frame_slopes) groups += group_of(one);
        for (const FramePlace& one : frame_places) groups += group_of(one);
        if (!groups.empty()) element(file, 0x5200, 0x9230, "SQ", groups);
        if (!fragments.empty()) {
            file.add<std::uint16_t>(0x7fe0).add<std::uint16_t>(0x10).add_text(std::string("OB\0\0\xff\xff\xff\xff", 8));
            item(file, 0xe000, "");
            for (const std::string& fragment : fragments) item(file, 0xe000, fragment);
            if (delimited) item(file, 0xe0dd, "");
            return file.text;
        }
        element(file, 0x7fe0, 0x10, "OW", pixels + (pixels.size() % 2 ? std::string(1, '\0') : ""));
        if (!behind.empty()) element(file, 0x7fe1, 0x1001, "OW", behind);
        return file.text;
    }

private:
    static void element(Bytes& to, std::uint16_t group, std::uint16_t number, const std::string& type, const std::string& value) {
        to.add(group).add(number).add_text(type);
        if (type == "OW" || type == "SQ")
            to.add<std::uint16_t>(0).add(static_cast<std::uint32_t>(value.size()));
        else
            to.add(static_cast<std::uint16_t>(value.size()));
        to.add_text(value);
    }
    std::string table_of_values() const {
        Bytes inside, whole, values;
        for (const std::uint16_t value : table) values.add(value);
        element(inside, 0x28, 0x3002, "US",
                Bytes{}.add(static_cast<std::uint16_t>(table.size())).add<std::uint16_t>(0).add<std::uint16_t>(16).text);
        element(inside, 0x28, 0x3006, "US", values.text);
        item(whole, 0xe000, inside.text);
        return whole.text;
    }
    std::string real_world() const {
        Bytes inside, whole;
        element(inside, 0x40, 0x9224, "FD", Bytes{}.add(mapping[1]).text);
        element(inside, 0x40, 0x9225, "FD", Bytes{}.add(mapping[0]).text);
        item(whole, 0xe000, inside.text);
        return whole.text;
    }
    std::string detector() const {
        Bytes inside, whole;
        element(inside, 0x20, 0x32, "DS", detector_position + (detector_position.size() % 2 ? " " : ""));
        element(inside, 0x20, 0x37, "DS", directions + (directions.size() % 2 ? " " : ""));
        item(whole, 0xe000, inside.text);
        return whole.text;
    }
    /// An item of functional groups, with a slope.
    static std::string group_of(const std::string& slope) {
        Bytes line, inside, group, whole;
        element(line, 0x28, 0x1052, "DS", "0 ");
        element(line, 0x28, 0x1053, "DS", slope + (slope.size() % 2 ? " " : ""));
        item(inside, 0xe000, line.text);
        if (!slope.empty()) element(group, 0x28, 0x9145, "SQ", inside.text);
        item(whole, 0xe000, group.text);
        return whole.text;
    }
    static std::string group_of(const FramePlace& place) {
        Bytes group, whole;
        const auto add = [&](std::uint16_t high, std::uint16_t low, std::uint16_t number, const std::string& value) {
            if (value.empty()) return;
            Bytes line, inside;
            element(line, high, number, "DS", value + (value.size() % 2 ? " " : ""));
            item(inside, 0xe000, line.text);
            element(group, high, low, "SQ", inside.text);
        };
        add(0x20, 0x9113, 0x32, place.position), add(0x20, 0x9116, 0x37, place.directions), add(0x28, 0x9110, 0x30, place.spacing);
        item(whole, 0xe000, group.text);
        return whole.text;
    }
    static void item(Bytes& to, std::uint16_t number, const std::string& value) {
        to.add<std::uint16_t>(0xfffe).add(number).add(static_cast<std::uint32_t>(value.size() + value.size() % 2));
        to.add_text(value + (value.size() % 2 ? std::string(1, '\0') : ""));
    }
    static void word(Bytes& to, std::uint16_t number, std::optional<std::uint16_t> value) {
        if (value) element(to, 0x28, number, "US", Bytes{}.add(*value).text);
    }
};

inline bool can_read_dicom() {
    const bool can = !host::program_beside("parallax-read-dicom").empty();
    if (!can) MESSAGE("skipped: the program that reads DICOM is not built");
    return can;
}

}   // namespace parallax::tests
