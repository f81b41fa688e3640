#include "distributed/agree.hpp"

#include "parallax/host/error.hpp"

#include <fmt/format.h>

namespace parallax::engine::distributed {
namespace {

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
    return {{"job", std::move(job)}, {"files of inputs", std::move(inputs)}, {"version of Parallax", PARALLAX_VERSION}};
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

}  // namespace

void agree(const Prepared& prepared, Communicator& ranks) {
    const Json mine = intention(prepared);
    const Json first = Json::parse(broadcast(ranks, mine.dump(-1, ' ', false, Json::error_handler_t::replace)));
    all_or_none(ranks, [&] { hold(mine, first, ranks.rank()); });
}

}  // namespace parallax::engine::distributed
