#include "distributed/agree.hpp"

#include "core/verdicts.hpp"
#include "io/pointer.hpp"
#include "io/tree.hpp"
#include "parallax/host/error.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

namespace parallax::engine::distributed {
namespace {

/// Each rank may read its own (PARALLAX_KERNEL_DIR). A folder of some of them is a folder of other kernels.
std::string kernels() {
    try {
        return hash_of_kernels();
    } catch (const IoError& error) {
        return error.what();
    }
}

Json intention(const Prepared& prepared) {
    Json job = to_json(prepared.job), inputs = Json::object();
    job.erase("comment");
    job.erase("device");
    for (std::size_t i = 0; i < prepared.inputs.size(); ++i) {
        const PreparedInput& input = prepared.inputs[i];
        std::uint64_t bytes = 0;
        for (const io::FileInfo& info : input.infos) bytes += info.file_bytes;
        inputs[prepared.job.inputs[i].name] = {{"array", input.desc.describe()}, {"bytes", bytes}};
    }
    return {{"job", std::move(job)},
            {"files of inputs", std::move(inputs)},
            {"version of Parallax", PARALLAX_VERSION},
            {"version of the kernels", kernels()}};
}

std::string brief(const Json& all, const Json::json_pointer& at) {
    constexpr std::size_t most = 80;
    if (!all.contains(at)) return "nothing";
    std::string text = all.at(at).dump(-1, ' ', false, Json::error_handler_t::replace);
    return text.size() <= most ? text : text.substr(0, most) + "...";
}

void hold(const Json& mine, const Json& first, int rank) {
    const Json changes = Json::diff(first, mine);
    if (changes.empty()) return;
    const std::string path = changes.front().at("path").get<std::string>();
    const Json::json_pointer at(path);
    throw ConfigError(path, fmt::format("{} in rank {}, and {} in rank 0", brief(mine, at), rank, brief(first, at)),
                      "the same job, inputs and program for every rank");
}

using Identity = std::optional<host::FileIdentity>;
using Part = std::optional<io::Stretch>;   // of a file, where not all of it is read

/// Of every file of every input what `of` says, in an order that is the same in every rank.
template <class Of>
Json of_files(const Prepared& prepared, const Of& of) {
    Json all = Json::object();
    for (std::size_t i = 0; i < prepared.inputs.size(); ++i) {
        const PreparedInput& input = prepared.inputs[i];
        Json& files = all[prepared.job.inputs[i].name] = Json::array();
        for (std::size_t n = 0; n < input.files.size(); ++n) {
            const io::FileInfo& info = input.infos[n];
            files.push_back(of(input, input.files[n], info.identity, info.read_bytes));
            for (const io::FilePart& part : info.parts) files.push_back(of(input, part.path, part.identity, std::nullopt));
        }
    }
    return all;
}

/// The same for ranks of one machine whose files are the same, and for no others: numbers of files and times of another machine's
/// own disk may agree by chance.
std::string states(const Prepared& prepared, int rank) {
    const std::string machine = io::which_machine();
    const Json files =
        of_files(prepared, [](const PreparedInput&, const std::filesystem::path&, const Identity& identity, const Part&) {
            return identity ? Json{identity->device, identity->inode, identity->bytes, identity->modified} : Json();
        });
    return Json{machine.empty() ? std::to_string(rank) : machine, files}.dump();
}

Json hashes(const Prepared& prepared) {
    return of_files(prepared,
                    [](const PreparedInput& input, const std::filesystem::path& file, const Identity&, const Part& part) {
                        const host::OpenedFile opened = input.open(file);
                        return part ? io::hash_file(opened.path(), {}, part) : io::hash_of_tree(opened.path());
                    });
}

/// Machines may have a file of one name and length each, and other elements in it. Where all ranks are on one machine and see one
/// file, nothing is read for that; else the first of each machine reads its files once more, and their hashes are compared. From
/// here to the end each rank holds its own file against what it has looked at.
void agree_on_contents(const Prepared& prepared, Communicator& ranks) {
    const std::vector<std::string> seen = gather_everywhere(ranks, states(prepared, ranks.rank()));
    if (std::all_of(seen.begin(), seen.end(), [&](const std::string& text) { return text == seen.front(); })) return;
    const auto first_to_see = std::find(seen.begin(), seen.end(), seen[static_cast<std::size_t>(ranks.rank())]);
    const bool is_first = first_to_see - seen.begin() == ranks.rank();   // rank 0 is
    Json mine;
    all_or_none(ranks, [&] {
        if (is_first) mine = hashes(prepared);
    });
    const Json first = Json::parse(broadcast(ranks, mine.dump()));
    all_or_none(ranks, [&] {
        if (is_first) hold({{"contents of inputs", mine}}, {{"contents of inputs", first}}, ranks.rank());
    });
}

}  // namespace

void agree(const Prepared& prepared, Communicator& ranks) {
    const Json mine = intention(prepared);
    const Json first = Json::parse(broadcast(ranks, mine.dump(-1, ' ', false, Json::error_handler_t::replace)));
    all_or_none(ranks, [&] { hold(mine, first, ranks.rank()); });
    agree_on_contents(prepared, ranks);
}

}  // namespace parallax::engine::distributed
