// Strings without end in every place of a job that takes one: an error that a person can read, and soon.
#include "job/job.hpp"
#include "job/load.hpp"
#include "support.hpp"
#include "peers/peers.hpp"

#include <chrono>

using namespace parallax;
using namespace parallax::engine;
using namespace parallax::tests;

namespace {

/// A job with every kind of string in it.
Json whole_job() {
    return Json::parse(R"({
        "$schema": "x.json", "parallax": 1, "comment": "c", "non_finite": "mask", "memory_limit": "1 GiB",
        "device": {"prefer": [{"type": "cpu", "vendor": "v", "name": "n", "platform": "p", "backend": "native",
            "uuid": "0123456789abcdef0123456789abcdef"}], "on_missing": "next"},
        "for_each": {"frame": {"files": "f/*.tif", "range": [0, 4]}, "page": {"pages": ["s.tif"], "page_axis": "t"},
            "on_error": "continue"},
        "inputs": {"image": "{frame}", "other": {"file": "{page}", "grey": true},
                   "third": {"files": ["b/*.png"], "combine": "mean", "raw": {"type": "u8", "axes": "yx", "shape": [2, 3]}}},
        "steps": [{"id": "one", "run": "arithmetic", "op": "add", "in": {"image": "image", "other": "third"},
            "out": {"image": "sum"}},
                  {"id": "two", "run": "arithmetic", "op": "add", "in": {"image": "sum", "other": "other"},
                      "out": {"image": "all"}, "variant": "reference"}],
        "outputs": {"all": "o/{frame.stem}.npy", "again": {"file": "p/{frame.index}.png", "of": "all"},
            "mean": {"file": "m.npy", "of": "all", "combine": "mean"}}})");
}

/// Calls visit(a copy with `text` in the place, its pointer) for every string and every key.
template <class Visit>
void everywhere(const Json& root, const Json::json_pointer& at, const std::string& text, const Visit& visit) {
    const Json& value = root.at(at);
    if (value.is_string()) {
        Json changed = root;
        changed[at] = text;
        visit(changed, at.to_string());
        // As a part of what stood there: placeholders, patterns and numbers with units.
        changed[at] = value.get<std::string>() + text;
        visit(changed, at.to_string() + " behind");
        changed[at] = text + value.get<std::string>();
        visit(changed, at.to_string() + " before");
    }
    if (value.is_object()) {
        for (const auto& [key, member] : value.items()) {
            Json changed = root;
            changed[at].erase(key);
            changed[at][text] = member;
            visit(changed, (at / key).to_string() + " key");
            everywhere(root, at / key, text, visit);
        }
    }
    if (value.is_array()) {
        for (std::size_t i = 0; i < value.size(); ++i) everywhere(root, at / i, text, visit);
    }
}

}  // namespace

TEST_CASE("long strings: everywhere in a job they end in an answer of readable length") {
    const Registry registry = registry_with_peers();
    const Json job = whole_job();
    parse_job(job, registry.algorithms());   // as it stands it is a job
    std::size_t tried = 0, refused = 0;
    double slowest = 0;
    std::string slowest_at;
    for (const std::size_t length : {std::size_t{26364}, std::size_t{1000000}}) {
        for (const std::string& unit : {std::string("a"), std::string("{"), std::string("{}"), std::string("{frame.stem}"),
                                        std::string("1"), std::string("a/"), std::string("*"), std::string(" ")}) {
            std::string text;
            while (text.size() < length) text += unit;
            text.resize(length);
            everywhere(job, Json::json_pointer(), text, [&](const Json& changed, const std::string& place) {
                if (length > 100000 && place.find(' ') != std::string::npos && unit != "a")
                    return;   // the large ones in fewer ways
                CAPTURE(place);
                CAPTURE(unit);
                CAPTURE(length);
                ++tried;
                const auto begun = std::chrono::steady_clock::now();
                try {
                    parse_job(changed, registry.algorithms());
                } catch (const ConfigError& error) {
                    ++refused;
                    CHECK(std::string(error.what()).size() < 20000);
                    CHECK(error.pointer.size() + error.found.size() < 2001);   // which the program prints one by one
                }
                const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begun).count();
                if (seconds > slowest) slowest = seconds, slowest_at = place;
            });
        }
    }
    MESSAGE(tried << " jobs, " << refused << " refused, the slowest took " << slowest << " s at " << slowest_at);
    CHECK(refused > tried / 2);
    CHECK(slowest < 5);
}

TEST_CASE("long strings: names and paths have a bound, and say it") {
    const Registry registry = registry_with_peers();
    Json job = Json::parse(
        R"({"parallax": 1, "inputs": {"image": "a.tif"}, "steps": [{"run": "arithmetic", "value": 1}],
            "outputs": {"image": "o.npy"}})");
    job["steps"][0]["id"] = std::string(100, 'n');
    parse_job(job, registry.algorithms());
    job["steps"][0]["id"] = std::string(101, 'n');
    CHECK(contains(error_of<ConfigError>([&] { parse_job(job, registry.algorithms()); }).what(),
                   "a name of 101 characters, expected at most 100 characters"));
    job["steps"][0].erase("id");
    job["inputs"]["image"] = std::string(4097, 'p');
    CHECK(contains(error_of<ConfigError>([&] { parse_job(job, registry.algorithms()); }).what(),
                   "a path of 4097 bytes, expected at most 4096 bytes"));
}

TEST_CASE("sizes of memory as people write them") {
    const Registry registry = registry_with_peers();
    const auto limit_of = [&](const std::string& text) {
        Json job = Json::parse(
            R"({"parallax": 1, "inputs": {"image": "a.tif"}, "steps": [{"run": "arithmetic", "value": 1}],
                "outputs": {"image": "o.npy"}})");
        job["memory_limit"] = text;
        return parse_job(job, registry.algorithms()).limits.memory_limit;
    };
    CHECK(limit_of("512 MiB") == std::uint64_t{512} << 20);
    CHECK(limit_of(" 1.5GB ") == 1500000000u);
    CHECK(limit_of("\t7\nB") == 7u);
    for (const char* const wrong : {"", "GB", "1.GB", ".5 GB", "-1 GB", "1e3 GB", "1 gb", "1 GB x", "0 B", "inf GB", "nan",
                                    "0x10 B", "1 G B", "99999999999 TB"}) {
        CAPTURE(wrong);
        CHECK_THROWS_AS(limit_of(wrong), ConfigError);
    }
}
