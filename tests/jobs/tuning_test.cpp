// Tuned policies: which entry a device takes, what a run says of it, and files that are none.
#include "core/tuning.hpp"
#include "support.hpp"
#include "peers/peers.hpp"

#if !defined(_WIN32)
#include <sys/stat.h>
#endif

using namespace parallax;
using namespace parallax::engine;
using namespace parallax::tests;

namespace {

TunedPolicy entry(std::string name, std::string architecture, int value, const std::string& date, bool best = false) {
    return {{"cuda", std::move(name), std::move(architecture), "NVIDIA", "CUDA", "gpu"},
            {"f32", "large"},
            "fused",
            {{"work_group_size", value}},
            best,
            {{"date", date}, {"driver", "580"}, {"gain", 1.25}}};
}

host::DeviceInfo device(std::string name, std::string version) {
    host::DeviceInfo info;
    info.backend = host::Backend::cuda;
    info.name = std::move(name);
    info.version = std::move(version);
    info.vendor = "NVIDIA";
    info.platform = "CUDA";
    info.type = host::DeviceType::gpu;
    return info;
}

Json plan_of(const TempFolder& folder, const Json& step, const std::string& tuning) {
    write_text(folder / "job.json",
               Json{{"parallax", 1}, {"inputs", {{"image", "ramp.npy"}}}, {"steps", {step}}, {"outputs", {{"image", "out.npy"}}}}
                   .dump());
    const Run run = run_program({"plan", "job.json", "--json"}, folder.path(), {"PARALLAX_TUNING=" + tuning});
    CAPTURE(run.err);
    REQUIRE(run.status == 0);
    return Json::parse(run.out)["steps"][0];
}

}  // namespace

TEST_CASE("tuning: the nearest device's entry, and of equals the newest") {
    TuningFile file{"box_filter",
                    {entry("H200", "sm_90", 64, "2026-01-01"), entry("H100", "sm_90", 128, "2026-02-01"),
                     entry("H100 PCIe", "sm_90", 512, "2026-03-01"), entry("A100", "sm_80", 256, "2026-04-01", true)}};
    const Tuning tuning({TuningFile::parse(file.to_json().dump(), "x.json")}, {});   // as it comes back from disk
    const auto group = [&](const host::DeviceInfo& info, const WorkClass& work = {"f32", "large"}) {
        const auto match = tuning.policy("box_filter", "fused", info, work);
        return match ? match->entry->policy.at("work_group_size").get<int>() : 0;
    };
    CHECK(group(device("H200", "compute capability 9.0")) == 64);
    CHECK(group(device("H800", "compute capability 9.0")) == 512);
    CHECK(group(device("B200", "compute capability 10.0")) == 256);   // of the vendor: the newest
    host::DeviceInfo other = device("H200", "compute capability 9.0");
    other.backend = host::Backend::opencl;
    CHECK(group(other) == 0);
    CHECK(group(device("H200", "compute capability 9.0"), {"f32", "small"}) == 0);
    CHECK(group(device("H200", "compute capability 9.0"), {"u8", "large"}) == 0);
    CHECK(contains(tuning.policy("box_filter", "fused", device("H200", ""), {"f32", "large"})->describe(),
                   "tuned on this device, 2026-01-01, driver 580, gain 1.25"));
    CHECK(tuning.best("box_filter", device("A100", "compute capability 8.0"), {"f32", "large"})->entry->variant == "fused");
    CHECK(!tuning.best("box_filter", device("H200", "compute capability 9.0"),
                       {"f32", "large"}));   // another architecture says nothing of variants
    file.put(entry("H200", "sm_90", 32, "2026-05-01"));
    CHECK(file.entries.size() == 4);
    CHECK(file.entries[0].policy.at("work_group_size") == 32);
}

TEST_CASE("tuning: bits are not the bytes that hold them") {
    const Registry registry = registry_with_peers();
    const Algorithm& boxes = registry.get("box_count");
    const auto work = [&](const Json& parameters) {
        return WorkClass::of(boxes, {{{"volume", ArrayDesc::dense(ElementType::u8, {{'z', 64}, {'y', 256}, {'x', 256}})}},
                                     boxes.parameters.parse(parameters, ""),
                                     {"counts"}});
    };
    CHECK(work(Json::object()) == WorkClass{"u8", "medium"});
    CHECK(work({{"packed_width", 2048}}) == WorkClass{"bits", "medium"});
    CHECK(work({{"offsets", 2}}) == WorkClass{"bits", "medium"});
}

TEST_CASE("tuning: files that are none are told with their place") {
    CHECK(contains(error_of<ConfigError>([] { TuningFile::parse("{", "a.json"); }).what(), "a.json"));
    Json json = TuningFile{"scan", {entry("H200", "sm_90", 64, "2026-01-01")}}.to_json();
    json["entries"][0].erase("variant");
    CHECK(contains(error_of<ConfigError>([&] { TuningFile::parse(json.dump(), "b.json"); }).pointer, "/entries/0"));
    json = TuningFile{"scan", {}}.to_json();
    json["parallax_tuning"] = 2;
    CHECK(contains(error_of<ConfigError>([&] { TuningFile::parse(json.dump(), "c.json"); }).what(), "tune again"));
    json = TuningFile{"scan", {entry("H200", "sm_90", 64, "2026-01-01")}}.to_json();
    json["entries"][0]["found"]["date"] = 20260101;
    CHECK(contains(error_of<ConfigError>([&] { TuningFile::parse(json.dump(), "d.json"); }).pointer, "/entries/0/found/date"));
    json["entries"][0]["found"] = {{"gain", "deep"}};
    std::string text = json.dump();
    text.replace(text.find("\"deep\""), 6, std::string(300000, '[') + std::string(300000, ']'));
    error_of<ConfigError>([&] { TuningFile::parse(text, "e.json"); });
    error_of<IoError>([] { Tuning::from_folder("no such folder", {}); });
    const TempFolder two;
    for (const char* name : {"scan.json", "scan-old.json"}) write_text(two / name, TuningFile{"scan", {}}.to_json().dump());
    CHECK(contains(error_of<ConfigError>([&] { Tuning::from_folder(two.path(), {}); }).found, "a second file for scan"));
#if !defined(_WIN32)
    // What is no file is neither waited for nor read without end.
    for (const bool pipe : {true, false}) {
        const TempFolder odd;
        if (pipe) REQUIRE(::mkfifo((odd / "a.json").c_str(), 0600) == 0);
        else fs::create_symlink("/dev/zero", odd / "a.json");
        CHECK(contains(error_of<IoError>([&] { Tuning::from_folder(odd.path(), {}); }).problem, "no file"));
    }
#endif
}

TEST_CASE("tuning: a job's own policy wins, then the device's entry, then the defaults; plans say which") {
    const TempFolder folder;
    io::write(folder / "ramp.npy", ramp(64, 48));
    const Json plain{{"run", "box_filter"}, {"radius", 1}};
    for (const char* name : {"none", "tuned", "stale"}) fs::create_directory(folder / name);
    const Json before = plan_of(folder, plain, "none");
    CHECK(before["policy_from"] == "default");
    if (before["policy"].empty()) return;   // a device whose variant has no policy

    const Json policies = before["policy"];
    const std::string name = policies.begin().key();
    const Json about = Json::parse(run_program({"plan", "job.json", "--json"}, folder.path()).out)["device"];
    const TunedPolicy tuned{{about.at("backend"), about.at("name"), "", "nobody", about.at("platform"), "cpu"},
                            {"u8", "small"},
                            before["variant"],
                            {{name, policies.begin().value()}},
                            false,
                            {{"date", "2026-11-21"}, {"driver", "1"}, {"gain", 2}}};
    write_text(folder / "tuned/box_filter.json", TuningFile{"box_filter", {tuned}}.to_json().dump());
    CHECK(contains(plan_of(folder, plain, "tuned")["policy_from"].get<std::string>(), "tuned on this device, 2026-11-21"));

    Json own = plain;
    own["policy"] = {{name, policies.begin().value()}};
    own["variant"] = before["variant"];
    CHECK(plan_of(folder, own, "tuned")["policy_from"] == "job");

    TunedPolicy stale = tuned;
    stale.policy = {{name, 12345}};
    write_text(folder / "stale/box_filter.json", TuningFile{"box_filter", {stale}}.to_json().dump());
    const Json fallen = plan_of(folder, plain, "stale");
    CHECK(contains(fallen["policy_from"].get<std::string>(), "default, because"));
    CHECK(fallen["policy"] == policies);

    const Run broken = run_program({"plan", "job.json"}, folder.path(), {"PARALLAX_TUNING=nowhere"});
    CHECK(broken.status != 0);
    CHECK(contains(broken.err, "PARALLAX_TUNING"));
}
