#include "core/verdicts.hpp"

#include "parallax/host/json.hpp"
#include "parallax/host/program.hpp"
#include "program/embedded.hpp"
#include "program/key.hpp"
#include "program/lock.hpp"

#include <fmt/format.h>

#include <atomic>
#include <map>
#include <mutex>

namespace parallax::engine {

namespace {

std::atomic<bool> ignored{false};

std::string key_of(const host::DeviceInfo& device) { return "selftest-" + host::program_key("selftest", device.uuid, device); }

/// Of every device that was asked about.
const std::vector<Verdict>& known_verdicts(const host::DeviceInfo& device) {
    static std::mutex mutex;
    static auto& known = *new std::map<std::string, std::vector<Verdict>>;   // to the end: objects may compute after main()
    const std::string key = key_of(device);
    const std::lock_guard lock(mutex);
    const auto found = known.find(key);
    return found != known.end() ? found->second : known.emplace(key, load_verdicts(device)).first->second;
}

}  // namespace

const std::string& hash_of_kernels() {
    static const std::string& hash = *new std::string([] {
        std::vector<std::string> texts;
        for (const host::EmbeddedFile& file : host::embedded_files())
            texts.push_back(host::flatten_source(std::string(file.name)));
        return host::hash_parts(std::vector<std::string_view>(texts.begin(), texts.end()));
    }());
    return hash;
}

std::vector<Verdict> load_verdicts(const host::DeviceInfo& device) {
    const auto cache = host::ProgramCache::open();
    if (cache->folder().empty()) return {};   // and no word of it: what needs no programs need not know
    const auto text = cache->load(key_of(device));
    const Json json = Json::parse(text.begin(), text.end(), nullptr, false);
    std::vector<Verdict> verdicts;
    try {
        if (json.is_array())
            for (const Json& one : json)
                verdicts.push_back({one.at("algorithm"), one.at("variant"), one.at("type"), one.at("problem"), one.at("reason"),
                                    one.at("kernels")});
    } catch (const Json::exception&) {   // written by something else
        return {};
    }
    return verdicts;
}

std::vector<Verdict> change_verdicts(const host::DeviceInfo& device,
                                     const std::function<std::vector<Verdict>(std::vector<Verdict>)>& change) {
    const auto cache = host::ProgramCache::open();
    const host::BuildLock alone(cache.get(), key_of(device));
    std::vector<Verdict> verdicts = change(load_verdicts(device));
    if (verdicts.empty()) {
        cache->forget(key_of(device));
        return verdicts;
    }
    Json json = Json::array();
    for (const Verdict& v : verdicts)
        json.push_back({{"algorithm", v.algorithm},
                        {"variant", v.variant},
                        {"type", v.type},
                        {"problem", v.problem},
                        {"reason", v.reason},
                        {"kernels", v.kernels}});
    const std::string text = json.dump(-1, ' ', false, Json::error_handler_t::replace);
    cache->store(key_of(device), std::vector<unsigned char>(text.begin(), text.end()));
    return verdicts;
}

std::string verdict_on(const host::DeviceInfo& device, std::string_view algorithm, const Variant& variant,
                       std::string_view type) {
    if (ignored || variant.name == oracle) return {};
    for (const Verdict& v : known_verdicts(device))
        if (v.algorithm == algorithm && v.variant == variant.name && v.type == type && v.kernels == hash_of_kernels())
            return fmt::format(
                "it failed the self-test on this device ({}: {}); parallax selftest --algorithm {} tries it again, --forget lets "
                "it be used",
                v.problem, v.reason, algorithm);
    return {};
}

void ignore_verdicts() noexcept { ignored = true; }

}  // namespace parallax::engine
