#include "io/reader_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <limits>
#include <thread>

#include "io/file.hpp"
#include "io/kept.hpp"
#include "io/part_file.hpp"
#include "io/window.hpp"
#include "parallax/host/error.hpp"
#include "support/child.hpp"
#include "support/helper.hpp"
#include "support/memory.hpp"
#include "support/text.hpp"

namespace parallax::io {

std::string path_for_child(const std::filesystem::path& path) {
    const std::u8string text = std::filesystem::absolute(path).u8string();
    std::string name(text.begin(), text.end());
    constexpr std::string_view own = "/proc/self/";
    if (name.starts_with(own)) name = fmt::format("/proc/{}/{}", host::own_process(), name.substr(own.size()));
    return name;
}

host::Child writer_for(const std::string& name, const host::Child::Options& options) {
    try {
        return host::Child(options);
    } catch (const Error& error) {
        throw IoError(name, error.what());
    }
}

namespace {

std::string program_of(const ReaderOf& of) { return host::program_beside(std::string("parallax-read-") + of.name); }

/// Libraries call a file damaged when they have no memory for it.
std::string hint_of(std::string hint) {
    const std::optional<std::uint64_t> limit = host::platform::memory_limit();
    if (limit && hint.find("damaged") != hint.npos)
        hint += fmt::format("; where it is sound, it needs more memory than the {} that are allowed here (--limit memory, ulimit)", host::human_bytes(*limit));
    return hint;
}

/// A file that a reader has opened. Whoever asks it for something says which source that is: it may stay open from one to the next.
class ReaderFile : public Kept::Reader {
public:
    ReaderFile(const Source& source, const ReaderOf& of) : of_(of), child_(start(source, of)) {
        is_program = true;
        const ReadOptions& options = source.options;
        Json request{{"open", path_for_child(source.path)}, {"dataset", options.dataset}, {"bytes", source.bytes}};
        if (options.series) request["series"] = *options.series;
        if (options.level) request["level"] = *options.level;
        description_ = ask(source, request);
    }

    const Json& description() const noexcept { return description_; }
    /// Somebody may have ended it while nothing was asked of it, or the system where memory ran out.
    bool is_there() { return child_.running(); }
    /// `of_all`: the bytes of all its pages, which some keep.
    void read(const Source& source, std::int64_t first, std::int64_t count, std::byte* to, std::size_t bytes, std::size_t of_all) {
        ask(source, {{"read", {first, count}}, {"bytes", bytes}, {"of_all", of_all}});
        if (!child_.read_into(to, bytes, seconds_for(source, bytes))) lost(source);
        if (of_.in_order) next = first + count;
    }

private:
    static host::Child start(const Source& source, const ReaderOf& of) {
        source.looked_into.reset();   // which the program opens by itself
        const std::string program = program_of(of);
        if (program.empty())
            fail(source, fmt::format("is {}, and the program that reads such, parallax-read-{}, is not there", of.what, of.name),
                 fmt::format("install {} and build Parallax again, or convert the file to TIFF, NPY or NIfTI", of.package));
        host::Child::Options options;
        options.apart = true;
        options.arguments = {program};
        return host::Child(options);
    }

    static std::chrono::duration<double> seconds_for(const Source& source, std::uint64_t bytes) {
        return std::chrono::duration<double>(60 + 2e-7 * static_cast<double>(bytes + source.bytes));
    }

    [[noreturn]] void lost(const Source& source) {
        // One that is aborted closes its output a moment before it has ended.
        for (int i = 0; i < 100 && child_.running(); ++i) std::this_thread::sleep_for(std::chrono::milliseconds(20));
        const bool late = child_.running();
        child_.end();
        if (late)
            fail(source, "takes too long to be read for what it says that it holds",
                 hint_of("the file may be damaged: write or copy it again"));
        if (child_.was_killed())
            fail(source, fmt::format("is {}, and what reads it was ended from outside with {}", of_.what, child_.ending()),
                 "nothing is known of the file: see whether memory has run out, or a batch system ended it, and run it again");
        fail(source, fmt::format("is {}, and what reads it ended with {}", of_.what, child_.ending()),
             hint_of("the file is damaged, or the library that reads it has a fault: convert the file to TIFF, NPY or NIfTI"));
    }

    Json ask(const Source& source, const Json& request) {
        child_.write_line(request.dump());
        const std::uint64_t bytes = request.at("bytes").get<std::uint64_t>();
        const std::optional<std::string> line = child_.read_line(seconds_for(source, bytes));
        if (!line) lost(source);
        Json said = Json::parse(*line, nullptr, false);
        if (!said.is_object()) lost(source);
        if (!said.contains("ok")) fail(source, said.value("problem", ""), hint_of(said.value("hint", "")));
        return std::move(said["ok"]);
    }

    const ReaderOf& of_;
    host::Child child_;
    Json description_;
};

/// Words, or words and what they are about.
Warning warning_of(const Json& said) {
    if (said.is_string()) return said.get<std::string>();
    const std::string about = said.value("about", "");
    return {said.at("text").get<std::string>(),
            about == "spacing"  ? Concern::spacing
            : about == "slices" ? Concern::slices
                                : Concern::other};
}

/// Numbers, all of them: JSON has null for one that is none, or infinite.
bool are_numbers(const Json& list) {
    return std::all_of(list.begin(), list.end(), [](const Json& one) { return one.is_number(); });
}

FileInfo info_of(const Source& source, const ReaderOf& of, const Json& said) {
    FileInfo info;
    info.format = said.value("format", of.name);
    info.file_bytes = source.bytes;
    std::vector<ArrayDesc::Extent> extents;
    for (const Json& axis : said.at("axes"))
        extents.push_back({axis.at("name").get<std::string>()[0], axis.at("size").get<std::int64_t>()});
    const std::optional<ElementType> type = element_type_from(said.at("type").get<std::string>());
    if (!type) fail(source, "holds elements of a type that is not known");
    info.desc = declared(source, *type, extents).with_unit(said.value("unit", ""));
    for (std::size_t i = 0; i < info.desc.axes.size(); ++i) {
        Axis& axis = info.desc.axes[i];
        const Json& told = said.at("axes")[i];
        if (told.contains("spacing") && told["spacing"].is_number()) axis.spacing = told["spacing"];
    }
    constexpr std::pair<std::string_view, Colour> colours[] = {
        {"grey", Colour::grey}, {"grey_alpha", Colour::grey_alpha}, {"rgb", Colour::rgb}, {"rgb_alpha", Colour::rgb_alpha}};
    info.colour = info.desc.find('c') ? Colour::other : Colour::grey;
    for (const auto& [word, colour] : colours) {
        if (said.value("colour", "") == word) info.colour = colour;
    }
    const Axis* const c = info.desc.find('c');
    const std::int64_t channels = c ? c->size : 1;
    if (c && info.colour != Colour::other && !takes_channels(info.colour, channels)) {
        info.warnings.push_back(fmt::format("its {} channels are no colours of \"{}\": that is left out", channels, said.value("colour", "")));
        info.colour = Colour::other;
    }
    info.white_is_zero = said.value("white_is_zero", false);
    info.page_axes = said.value("page_axes", 0);
    info.detail = said.value("detail", "");
    if (said.contains("affine") && are_numbers(said["affine"]))
        info.metadata.affine = said["affine"].get<std::array<double, 16>>();
    else if (said.contains("affine"))
        info.warnings.push_back(std::string("it says by no numbers where its elements lie: that is left out (its affine)"));
    if (said.contains("channels")) info.metadata.channels = said["channels"].get<std::vector<std::string>>();
    if (!info.metadata.channels.empty() && std::ssize(info.metadata.channels) != channels) {
        info.warnings.push_back(fmt::format("it has {} names for {} channels: they are left out", info.metadata.channels.size(), channels));
        info.metadata.channels.clear();
    }
    if (said.contains("notes")) info.metadata.notes = said["notes"].get<std::map<std::string, std::string>>();
    for (const Json& warning : said.value("warnings", Json::array())) info.warnings.push_back(warning_of(warning));
    if (said.contains("ignored")) info.ignored = said["ignored"].get<std::vector<std::string>>();
    return info;
}

/// What a reader says of files or folders.
std::vector<FilePart> parts_in(const Json& list) {
    std::vector<FilePart> parts;
    for (const Json& said : list) {
        const std::string name = said.at("path").get<std::string>();
        FilePart part{std::filesystem::path(std::u8string(name.begin(), name.end()))};
        part.identity = host::identity_of(part.path);
        if (said.contains("pages")) part.pages = {said["pages"][0].get<std::int64_t>(), said["pages"][1].get<std::int64_t>()};
        parts.push_back(std::move(part));
    }
    return parts;
}

/// Started once for all pages of one file, where they are read one by one: it may have to go through all before them, and knows where
/// it is.
std::unique_ptr<ReaderFile> opened(const Source& source, const ReaderOf& of, std::int64_t page) {
    if (source.kept())
        if (auto known = source.kept()->take<ReaderFile>(*source.identity, page); known && known->is_there()) return known;
    return std::make_unique<ReaderFile>(source, of);
}

void keep(const Source& source, std::unique_ptr<ReaderFile> file) {
    if (source.kept()) source.kept()->put(*source.identity, std::move(file));
}

}   // namespace

FileInfo reader_info(const Source& source, const ReaderOf& of) {
    const Kept::Turn turn(source.kept(), 0, of.in_order);
    std::unique_ptr<ReaderFile> file = opened(source, of, std::numeric_limits<std::int64_t>::max());   // any says the same
    FileInfo info = info_of(source, of, file->description());
    info.parts = parts_in(file->description().value("parts", Json::array()));
    info.folders = parts_in(file->description().value("folders", Json::array()));
    for (const FilePart& part : info.parts) info.file_bytes += part.identity ? part.identity->bytes : 0;
    keep(source, std::move(file));
    return info;
}

HostArray reader_read(const Source& source, const ReaderOf& of) {
    const std::int64_t page = source.options.pages ? source.options.pages->first : 0;
    const Kept::Turn turn(source.kept(), page, of.in_order);
    std::unique_ptr<ReaderFile> file = opened(source, of, page);
    const FileInfo info = info_of(source, of, file->description());
    const auto [first, end] = chosen_pages(source.name, info, source.options);
    FileInfo part = info;
    part.desc = chosen(source.name, info, source.options);
    part.metadata.channels = chosen_names(source.name, info, source.options);
    HostArray array = read_picture(source, part, [&, first = first, end = end](std::byte* to) {
        file->read(source, first, end - first, to, part.desc.dense_bytes(), info.desc.dense_bytes());
    });
    if (end < info.pages()) keep(source, std::move(file));   // behind the last it would hold memory for nothing
    return array;
}

std::string why_not_written(const ReaderOf& of) {
    if (!program_of(of).empty()) return {};
    return fmt::format("the program parallax-read-{}, which writes such files, is not there: install {} and build Parallax again",
                       of.name, of.package);
}

void write_by_reader(const std::filesystem::path& path, const std::string& name, const HostArray& array, const ReaderOf& of,
                     const Json& more) {
    const ArrayDesc& desc = array.desc;
    const FileForChild file(path, name);
    Json request{
        {"write", path_for_child(file.path())}, {"type", to_string(desc.type)}, {"unit", desc.unit}, {"bytes", desc.dense_bytes()}};
    request.update(more);
    for (const Axis& axis : desc.axes)
        request["axes"].push_back({{"name", std::string(1, axis.name)}, {"size", axis.size}, {"spacing", axis.spacing}});
    if (array.metadata.affine) request["affine"] = *array.metadata.affine;
    const Axis* const c = desc.find('c');
    const std::vector<std::string>& names = array.metadata.channels;
    if (c && static_cast<std::int64_t>(names.size()) == c->size) request["channels"] = names;
    const bool samples = c && c == &desc.axes.back() && (desc.type == ElementType::u8 || desc.type == ElementType::u16);
    if (samples && (c->size == 3 || c->size == 4) && are_colours(array)) request["colour"] = c->size == 3 ? "rgb" : "rgb_alpha";
    host::Child::Options options;
    options.apart = true;
    options.arguments = {program_of(of)};
    host::Child child = writer_for(name, options);
    child.write_line(request.dump(-1, ' ', false, Json::error_handler_t::replace));
    child.write({reinterpret_cast<const char*>(array.data()), desc.dense_bytes()});   // where it fails, the answer says why
    const std::optional<std::string> line =
        child.read_line(std::chrono::duration<double>(60 + 2e-7 * static_cast<double>(desc.dense_bytes())));
    const Json said = line ? Json::parse(*line, nullptr, false) : Json();
    if (said.is_object() && said.contains("ok")) return child.leave(std::chrono::duration<double>(60));
    child.end();
    if (said.is_object()) throw IoError(name, said.value("problem", ""), said.value("hint", ""));
    throw IoError(
        name, fmt::format("cannot be written: what writes it ended with {}", child.ending()),
        "see whether the disk is full, the folder may be written, and files may be longer than this (--limit output=SIZE, "
        "ulimit -f)");
}

}   // namespace parallax::io
