// NIfTI-1 of what readers make of it, NIfTI-2 where a size asks for that (nifti.cpp).
#include "io/nifti.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <locale>
#include <sstream>

#include "io/decimal.hpp"
#include "io/file.hpp"
#include "io/format.hpp"
#include "io/text_header.hpp"
#include "io/units.hpp"
#include "support/text.hpp"

namespace parallax::io::nifti {

namespace {

/// From the note of a reader, in a unit; 0: it is not known in that.
double thickness_in(const std::string& unit, const std::string& note) {
    std::istringstream words(note);
    words.imbue(std::locale::classic());
    double step = 0;
    std::string said;
    words >> step >> said;
    return said.empty() && unit.empty() ? step : converted(step, said, unit);
}

/// Of an axis among a header's seven: x is the first, the last is what has no name there.
std::size_t place_of(const Axis& axis) { return std::min<std::size_t>(std::string_view("?xyztn").find(axis.name), 7); }

/// A factor: nm and cm are none of its units.
double in_unit_of_file(std::string_view unit) { return unit == "nm" ? 1e-3 : unit == "cm" ? 10 : 1; }

/// The second for sizes that the first cannot tell.
int version_for(const ArrayDesc& desc) {
    return std::any_of(desc.axes.begin(), desc.axes.end(), [](const Axis& axis) { return axis.size > 32767; }) ? 2 : 1;
}

/// How many axes the header has. A frame alone, without z, is none of them: readers that leave a last axis of one index out would have
/// a volume of one plane.
std::size_t last_place(const ArrayDesc& desc) {
    const auto counts = [&](const Axis& axis) { return place_of(axis) <= 3 || axis.size > 1 || desc.find('z') != nullptr; };
    const auto last = std::find_if(desc.axes.begin(), desc.axes.end(), counts);
    return place_of(last == desc.axes.end() ? desc.axes.front() : *last);
}

/// From the note of a reader. Its numbers may be NaN, which streams do not read.
void set_intent(Header& h, std::string_view note) {
    const auto next = [&note] {
        note.remove_prefix(std::min(note.find_first_not_of(' '), note.size()));
        const std::string_view word = note.substr(0, note.find(' '));
        note.remove_prefix(word.size());
        return word;
    };
    const std::optional<std::int64_t> code = integer_of(next());
    if (!code || *code != static_cast<int>(*code)) return;
    h.intent = static_cast<int>(*code);
    for (double& number : h.intent_numbers) {
        const std::optional<double> said = number_of(next());
        if (!said) return;
        number = *said;
    }
    if (!note.empty()) h.intent_name = note.substr(1);
}

}  // namespace

std::string refusal(const ArrayDesc& desc, const WriteOptions&) {
    if (is_complex(desc.type)) return "NIfTI is written without complex numbers";
    const auto& axes = desc.axes;
    if (axes.empty()) return "NIfTI holds volumes, not single numbers";
    if (desc.find('c'))
        return fmt::format("NIfTI is written without channels, this is {}", desc.describe());
    if (axes.size() > 4) return fmt::format("NIfTI is written with up to 4 axes, this is {}", desc.describe());
    const auto after = [](const Axis& one, const Axis& next) { return place_of(one) <= place_of(next); };
    if (std::adjacent_find(axes.begin(), axes.end(), after) != axes.end())
        return fmt::format("NIfTI has its axes in the order n, t, z, y, x, this is {}", desc.describe());
    for (const Axis& axis : axes) {
        const double stored = axis.name == 't' ? axis.spacing : scaled(axis.spacing, in_unit_of_file(desc.unit));
        if (std::string problem = refusal_of_distance("NIfTI", axis, stored, version_for(desc) == 1); !problem.empty())
            return problem;
    }
    return {};
}

void write(const std::filesystem::path& path, const std::string& name, const HostArray& array, const WriteOptions&) {
    const ArrayDesc& desc = array.desc;
    Header h;
    const ElementType type = desc.type == ElementType::boolean ? ElementType::u8 : desc.type;
    h.datatype = std::find_if(std::begin(type_table), std::end(type_table), [&](const TypeRow& r) {
                     return r.type == type && r.channels == 1;
                 })->code;
    h.bits = static_cast<int>(bytes_of(type) * 8);
    const double in_file = in_unit_of_file(desc.unit);
    double in_mm = 1;   // of the file's unit
    if (desc.unit == "m" || desc.unit == "mm" || desc.unit == "um") {
        const Unit& unit = *std::find_if(std::begin(units), std::end(units), [&](const Unit& u) { return desc.unit == u.name; });
        h.xyzt_units = unit.code, in_mm = unit.in_mm;
    } else if (desc.unit == "nm") {
        h.xyzt_units = 3, in_mm = 1e-3;
    } else if (desc.unit == "cm") {
        h.xyzt_units = 2;
    }
    h.dim.fill(1);
    h.pixdim.fill(1);
    for (const Axis& axis : desc.axes) {   // those that it has not stay 1
        const std::size_t place = place_of(axis);
        h.dim[place] = axis.size;
        if (axis.name == 't' && !(axis.spacing > 0)) continue;
        h.pixdim[place] = place >= 4 ? axis.spacing : scaled(axis.spacing, in_file);
        if (axis.name == 't') h.xyzt_units |= 8;  // seconds
    }
    h.dim[0] = static_cast<std::int64_t>(last_place(desc));
    h.version = version_for(desc);
    const auto& notes = array.metadata.notes;
    if (const auto& affine = array.metadata.affine) {
        // The forms that it came in, if it came from a NIfTI file; one of them in any case.
        const auto code_of = [&notes](const char* note) {
            const auto found = notes.find(note);
            const bool known =
                found != notes.end() && found->second.size() == 1 && found->second[0] >= '1' && found->second[0] <= '5';
            return known ? found->second[0] - '0' : 0;
        };
        std::array<double, 16> matrix = *affine;
        for (std::size_t i = 0; i < 12; ++i) matrix[i] /= in_mm;
        // How thick a plane is, and what else is known of axes that the array has not.
        for (std::size_t i = 0; i < 3; ++i) {
            const double step = std::hypot(matrix[i], matrix[4 + i], matrix[8 + i]);
            if (!desc.find("xyz"[i]) && step > 0) h.pixdim[i + 1] = step;
        }
        const int qform = code_of("nifti.qform");
        if (qform > 0 && set_quaternion(h, matrix)) h.qform_code = qform;
        h.sform_code = code_of("nifti.sform");
        if (h.sform_code == 0 && h.qform_code == 0) h.sform_code = qform > 0 ? qform : 2;   // aligned to something
        if (h.sform_code > 0) std::copy_n(matrix.begin(), 12, h.srow.begin());
    } else if (const auto note = notes.find(thickness_note); note != notes.end() && !desc.find('z')) {
        const double step = scaled(thickness_in(desc.unit, note->second), in_file);
        if (step > 0 && step < 1e30) h.pixdim[3] = step;   // a float's
    }
    if (const auto intent = notes.find("nifti.intent"); intent != notes.end()) set_intent(h, intent->second);
    if (const auto text = notes.find("nifti.description"); text != notes.end()) h.description = text->second;
    const std::string header = compose(h);
    // The temporary file's name ends otherwise: the user's name says whether to compress.
    if (host::lower(name).ends_with(".gz")) {
        GzWriter out(path);
        out.write(header.data(), header.size());
        out.write(array.data(), desc.dense_bytes());
        out.close();
    } else {
        File out = File::create(path);
        out.write(header.data(), header.size());
        out.write(array.data(), desc.dense_bytes());
        out.close();
    }
}

}  // namespace parallax::io::nifti
