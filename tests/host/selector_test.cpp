#include "parallax/host/enumerate.hpp"

#include "parallax/host/context.hpp"
#include "parallax/host/error.hpp"
#include "support/warnings.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

using namespace parallax;
using namespace parallax::host;

namespace {

class FakeDevice final : public Device {
public:
    explicit FakeDevice(DeviceInfo info) : info_(std::move(info)) {}
    const DeviceInfo& info() const noexcept override { return info_; }
    std::shared_ptr<Context> open(const ContextOptions&) const override { return nullptr; }

private:
    DeviceInfo info_;
};

DeviceInfo device(DeviceType type, std::string vendor, std::string platform, std::string name, std::uint64_t gigabytes) {
    DeviceInfo info;
    info.backend = Backend::opencl;
    info.type = type;
    info.vendor = std::move(vendor);
    info.platform = std::move(platform);
    info.name = std::move(name);
    info.global_memory = gigabytes * 1000000000;
    return info;
}

Inventory inventory_of(std::vector<DeviceInfo> infos) {
    Inventory inventory;
    for (DeviceInfo& info : infos) {
        info.index = static_cast<int>(inventory.devices.size());
        inventory.devices.push_back(std::make_shared<FakeDevice>(std::move(info)));
    }
    return inventory;
}

// 0 Intel GPU, 1 NVIDIA GPU, 2 NVIDIA GPU with more memory, 3 AMD GPU, 4 PoCL, 5 FPGA, 6 native
Inventory workstation() {
    DeviceInfo intel = device(DeviceType::gpu, "Intel(R) Corporation", "Intel(R) OpenCL Graphics", "Intel(R) Arc(TM) A770", 16);
    intel.capabilities = {"images", "unified_memory", "subgroups"};
    DeviceInfo small = device(DeviceType::gpu, "NVIDIA Corporation", "NVIDIA CUDA", "NVIDIA RTX 4000", 8);
    small.uuid = "01234567-89ab-cdef-0123-456789abcdef";
    small.pci = "0000:3b:00.0";
    small.capabilities = {"images", "fp64", "int64_atomics"};
    DeviceInfo large = device(DeviceType::gpu, "NVIDIA Corporation", "NVIDIA CUDA", "NVIDIA H200", 141);
    large.uuid = "fedcba98-7654-3210-fedc-ba9876543210";
    large.pci = "0001:af:00.0";
    large.capabilities = {"images", "fp64", "int64_atomics"};
    DeviceInfo amd =
        device(DeviceType::gpu, "Advanced Micro Devices, Inc.", "AMD Accelerated Parallel Processing", "gfx1100", 24);
    DeviceInfo pocl = device(DeviceType::cpu, "GenuineIntel", "Portable Computing Language", "pthread-skylake", 32);
    pocl.capabilities = {"fp64", "unified_memory"};
    DeviceInfo board = device(DeviceType::accelerator, "Xilinx", "Xilinx", "U250", 64);
    DeviceInfo native = device(DeviceType::cpu, "native", "native", "native (Xeon)", 64);
    native.backend = Backend::native;
    native.capabilities = {"fp64", "int64_atomics", "unified_memory"};
    return inventory_of({intel, small, large, amd, pocl, board, native});
}

int chosen(const DeviceSelector& selector, const Inventory& inventory) {
    const Selection selection = selector.explain(inventory);
    return selection.device ? selection.device->info().index : -1;
}

}  // namespace

TEST_CASE("each kind of rule chooses the device that it describes") {
    struct Row {
        const char* rules;
        int device;   // -1: none
    };
    const Row rows[] = {
        {R"({})", 0},
        {R"({"type": "gpu"})", 0},
        {R"({"type": "GPU"})", 0},
        {R"({"type": "cpu"})", 4},
        {R"({"type": "accelerator"})", 5},
        {R"({"type": "other"})", -1},
        {R"({"vendor": "nvidia"})", 1},
        {R"({"vendor": "AMD"})", 3},
        {R"({"vendor": "intel", "type": "cpu"})", 4},
        {R"({"platform": "cuda"})", 1},
        {R"({"platform": "pocl"})", 4},
        {R"({"name": "h200"})", 2},
        {R"({"name": " h200 "})", 2},
        {R"({"name": "h300"})", -1},
        {R"({"backend": "opencl"})", 0},
        {R"({"backend": "cuda"})", -1},
        {R"({"backend": "native"})", 6},
        {R"({"index": 3})", 3},
        {R"({"index": 6})", 6},
        {R"({"index": 7})", -1},
        {R"({"index": -1})", 6},
        {R"({"uuid": "FEDCBA98-7654-3210-FEDC-BA9876543210"})", 2},
        {R"({"uuid": "fedcba9876543210fedcba9876543210"})", 2},
        {R"({"uuid": "00000000000000000000000000000000"})", -1},
        {R"({"pci": "3b:00.0"})", 1},
        {R"({"pci": "00000000:3B:00.0"})", 1},
        {R"({"pci": "0001:af:00.0"})", 2},
        {R"({"pci": "af:00.0"})", -1},
        {R"({"min_memory_gb": 17})", 2},
        {R"({"min_memory_gb": 16})", 0},
        {R"({"min_memory_mb": 16000.5})", 2},
        {R"({"min_memory_gb": 1000})", -1},
        {R"({"require": []})", 0},
        {R"({"require": ["fp64"]})", 1},
        {R"({"require": ["fp64", "unified_memory"]})", 4},
        {R"({"require": ["subgroups", "fp64"]})", -1},
        // The native device is never met by accident.
        {R"({"name": "xeon"})", -1},
        {R"({"type": "cpu", "require": ["int64_atomics"]})", -1},
        {R"({"name": "native"})", 6},
        {R"({"platform": "native"})", 6},
        // Lists
        {R"({"prefer": [{"type": "cpu"}]})", 4},
        {R"({"prefer": [{"backend": "cuda"}, {"type": "gpu"}]})", -1},
        {R"({"prefer": [{"backend": "cuda"}, {"type": "gpu"}], "on_missing": "error"})", -1},
        {R"({"prefer": [{"backend": "cuda"}, {"type": "gpu"}], "on_missing": "next"})", 0},
        {R"({"prefer": [{"name": "h200"}, {"type": "gpu"}], "on_missing": "error"})", 2},
        {R"({"on_missing": "next", "prefer": [{"index": 9}, {"name": "h300"}]})", -1},
    };
    const Inventory inventory = workstation();
    for (const Row& row : rows) {
        CAPTURE(row.rules);
        const DeviceSelector selector = DeviceSelector::parse(Json::parse(row.rules));
        CHECK(chosen(selector, inventory) == row.device);
        // What is written out means the same.
        CHECK(chosen(DeviceSelector::parse(selector.to_json()), inventory) == row.device);
        CHECK(DeviceSelector::parse(selector.to_json()).to_json() == selector.to_json());
    }
}

TEST_CASE("a rule that says no type takes a gpu before a cpu that stands before it") {
    DeviceInfo gpu = device(DeviceType::gpu, "NVIDIA Corporation", "NVIDIA CUDA", "NVIDIA H100", 80);
    const DeviceInfo cpu = device(DeviceType::cpu, "GenuineIntel", "Portable Computing Language", "cpu-sapphirerapids", 128);
    const DeviceInfo board = device(DeviceType::accelerator, "Xilinx", "Xilinx", "U250", 64);
    const Inventory inventory = inventory_of({cpu, board, gpu, gpu});
    for (const char* const rule : {R"({"backend": "opencl"})", R"({})", R"({"min_memory_gb": 1})"}) {
        CAPTURE(rule);
        const DeviceSelector selector = DeviceSelector::parse(Json::parse(rule));
        const Selection selection = selector.explain(inventory);
        REQUIRE(selection.device);
        CHECK(selection.device->info().index == 2);
        const auto is_told = [&](int device, const char* words) {
            return selection.verdicts[static_cast<std::size_t>(device)].reasons.at(0).find(words) != std::string::npos;
        };
        CHECK(is_told(0, "admitted, but device 2 comes first, a gpu before a cpu"));
        CHECK(is_told(3, "admitted, but device 2 comes first"));
        // Processes that choose one each get none that is worse.
        for (const auto& equal : selector.select_equals(inventory)) CHECK(equal->info().type == DeviceType::gpu);
    }
    CHECK(chosen(DeviceSelector::parse(Json::parse(R"({"vendor": "intel"})")), inventory) == 0);
    CHECK(chosen(DeviceSelector::parse(Json::parse(R"({"index": 0})")), inventory) == 0);
    CHECK(chosen(DeviceSelector::parse(Json::parse(R"({"type": "cpu"})")), inventory) == 0);
}

TEST_CASE("the default prefers a gpu, then an accelerator, then a cpu, and never the native device") {
    const auto of = [](std::initializer_list<std::size_t> kept) {
        const Inventory all = workstation();
        std::vector<DeviceInfo> infos;
        for (const std::size_t i : kept) infos.push_back(all.devices[i]->info());
        return inventory_of(infos);
    };
    CHECK(chosen(DeviceSelector(), of({4, 5, 3, 6})) == 2);
    CHECK(chosen(DeviceSelector(), of({4, 5, 6})) == 1);
    CHECK(chosen(DeviceSelector(), of({4, 6})) == 0);
    CHECK(chosen(DeviceSelector(), of({6})) == -1);
}

TEST_CASE("a command-line specification is a word, an index, a name or JSON") {
    struct Row {
        const char* spec;
        int device;
    };
    const Row rows[] = {{"gpu", 0},
                        {"CPU", 4},
                        {"native", 6},
                        {"opencl", 0},
                        {"2", 2},
                        {"-1", 6},
                        {"99", -1},
                        {"H200", 2},
                        {"pocl", 4},
                        {"gfx1100", 3},
                        {"cuda", -1},
                        {" gpu ", 0},
                        {"nothing", -1},
                        {R"({"vendor": "amd"})", 3},
                        {R"({"prefer": [{"vendor": "arm"}, {"type": "cpu"}], "on_missing": "next"})", 4}};
    const Inventory inventory = workstation();
    for (const Row& row : rows) {
        CAPTURE(row.spec);
        CHECK(chosen(DeviceSelector::parse_spec(row.spec), inventory) == row.device);
    }
    const std::string deep = R"({"name": )" + std::string(100000, '[');
    for (const std::string spec : {"", "  ", "{\"type\": gpu}", R"({"backend": "native", "backend": "opencl"})", deep.c_str()}) {
        CAPTURE(spec.substr(0, 60));
        CHECK_THROWS_AS(DeviceSelector::parse_spec(spec), ConfigError);
    }
}

TEST_CASE("what is said of drivers is of those that were asked for") {
    const Inventory native_alone = inventory_of({workstation().devices.back()->info()});   // as enumerate() gives for both rules
    const auto said = [&](const char* rules) {
        try {
            DeviceSelector::parse(Json::parse(rules)).select(native_alone);
        } catch (const UnsupportedError& error) {
            return std::string(error.what());
        }
        return std::string("a device");
    };
    const std::string cuda = said(R"({"backend": "cuda"})"), gpu = said(R"({"type": "gpu"})");
    CHECK(cuda.find("OpenCL") == std::string::npos);
    CHECK(cuda.find("CUDA") != std::string::npos);
    CHECK(cuda.find("not asked for") != std::string::npos);
    CHECK(gpu.find("there is no OpenCL device: install") != std::string::npos);
    CHECK(said(R"({"prefer": [{"backend": "cuda"}, {"type": "gpu"}], "on_missing": "next"})")
              .find("there is no OpenCL device: install") != std::string::npos);
}

TEST_CASE("several devices: every one that a rule of \"use\" admits, each once") {
    Inventory inventory = workstation();
    const auto chosen_by = [&](const char* rules) {
        std::vector<int> devices;
        for (const auto& device : DeviceSelector::parse(Json::parse(rules)).select_all(inventory))
            devices.push_back(device->info().index);
        return devices;
    };
    CHECK(chosen_by(R"({"use": [{"vendor": "nvidia"}, {"type": "gpu", "min_memory_gb": 20}]})") == std::vector<int>{1, 2, 3});
    CHECK(chosen_by(R"({"use": [{"index": 4}, {"backend": "native"}]})") == std::vector<int>{4, 6});
    CHECK(chosen_by(R"({"use": "all"})") == std::vector<int>{0, 1, 2, 3, 4, 5});
    CHECK(chosen_by(R"({"type": "gpu"})") == std::vector<int>{0});
    DeviceInfo twin = inventory.devices[1]->info();   // the same card, through another backend
    twin.backend = Backend::cuda;
    twin.platform_index = 7;
    twin.index = 7;
    inventory.devices.push_back(std::make_shared<FakeDevice>(twin));
    CHECK(chosen_by(R"({"use": [{"vendor": "nvidia"}]})") == std::vector<int>{1, 2});
    CHECK(chosen_by(R"({"use": [{"backend": "cuda"}]})") == std::vector<int>{7});
    CHECK_THROWS_AS(chosen_by(R"({"use": [{"vendor": "nvidia"}, {"vendor": "none"}]})"), UnsupportedError);
    for (const char* wrong :
         {R"({"use": []})", R"({"use": "some"})", R"({"use": "all", "on_missing": "next"})", R"({"use": [{"tpye": "gpu"}]})"}) {
        CHECK_THROWS_AS(chosen_by(wrong), ConfigError);
    }
    const DeviceSelector use = DeviceSelector::parse(Json::parse(R"({"use": [{"index": 4}]})"));
    CHECK(DeviceSelector::parse(use.to_json()).select_all(inventory).size() == 1);
    CHECK(DeviceSelector::parse_spec("all").to_json() == Json{{"use", "all"}});
}

TEST_CASE("wrong rules are errors that say where, what was found and what was expected") {
    struct Row {
        const char* rules;
        const char* pointer;
        const char* message;   // a part of it
    };
    const Row rows[] = {
        {R"(3)", "/device", "found the number 3, expected an object"},
        {R"("gpu")", "/device", "found the string \"gpu\", expected an object"},
        {R"([])", "/device", "found an empty list"},
        {R"({"typ": "gpu"})", "/device/typ", "did you mean \"type\"?"},
        {R"({"vender": "nvidia"})", "/device/vender", "did you mean \"vendor\"?"},
        {R"({"min_memory_bg": 1})", "/device/min_memory_bg", "did you mean \"min_memory_gb\"?"},
        {R"({"zebra": 1})", "/device/zebra", "found the unknown key \"zebra\", expected one of \"type\""},
        {R"({"a/b~c": 1})", "/device/a~1b~0c", "unknown key"},
        {R"({"prefre": [{"type": "gpu"}]})", "/device/prefre", "did you mean \"prefer\"?"},
        {R"({"prefer": [{"type": "gpu"}], "on_mising": "next"})", "/device/on_mising", "did you mean \"on_missing\"?"},
        {R"({"prefer": [{"type": "gpu"}], "type": "gpu"})", "/device/type", "put it into a rule of \"prefer\""},
        {R"({"prefer": [{"type": "gpu", "on_missing": "next"}]})", "/device/prefer/0/on_missing", "it belongs beside \"prefer\""},
        {R"({"prefer": []})", "/device/prefer", "found an empty list, expected a list of at least one"},
        {R"({"prefer": {"type": "gpu"}})", "/device/prefer", "found an object"},
        {R"({"on_missing": "next"})", "/device/prefer", "found nothing"},
        {R"({"prefer": [{}], "on_missing": "ignore"})", "/device/on_missing", "expected one of \"error\", \"next\""},
        {R"({"prefer": [{}], "on_missing": true})", "/device/on_missing", "found true"},
        {R"({"prefer": [{"type": "gpu"}, {"type": "gpo"}]})", "/device/prefer/1/type", "did you mean \"gpu\"?"},
        {R"({"prefer": ["gpu"]})", "/device/prefer/0", "expected a device rule"},
        {R"({"type": 1})", "/device/type", "found the number 1, expected one of \"gpu\", \"cpu\", \"accelerator\", \"other\""},
        {R"({"backend": "vulkan"})", "/device/backend", "expected one of \"opencl\", \"cuda\", \"native\""},
        {R"({"vendor": ""})", "/device/vendor", "a string that is not empty"},
        {R"({"vendor": null})", "/device/vendor", "found null"},
        {R"({"name": ["a"]})", "/device/name", "found a list"},
        {R"({"index": -2})", "/device/index", "found the number -2"},
        {R"({"index": 1.5})", "/device/index", "found the number 1.5"},
        {R"({"index": 18446744073709551615})", "/device/index", "0 and up"},
        {R"({"index": "1"})", "/device/index", "found the string \"1\""},
        {R"({"uuid": "123"})", "/device/uuid", "32 hexadecimal digits"},
        {R"({"uuid": "zz234567-89ab-cdef-0123-456789abcdef"})", "/device/uuid", "32 hexadecimal digits"},
        {R"({"pci": "3b"})", "/device/pci", "a PCI address"},
        {R"({"pci": "3b:00"})", "/device/pci", "a PCI address"},
        {R"({"pci": ":00.0"})", "/device/pci", "a PCI address"},
        {R"({"pci": "x:3b:00.0"})", "/device/pci", "a PCI address"},
        {R"({"min_memory_gb": -1})", "/device/min_memory_gb", "found the number -1"},
        {R"({"min_memory_gb": 1e300})", "/device/min_memory_gb", "an amount of memory"},
        {R"({"min_memory_gb": "8"})", "/device/min_memory_gb", "an amount of memory"},
        {R"({"min_memory_gb": 8, "min_memory_mb": 8000})", "/device/min_memory_mb",
         "either \"min_memory_mb\" or \"min_memory_gb\""},
        {R"({"require": "fp64"})", "/device/require", "a list of capabilities"},
        {R"({"require": ["fp64", "fp46"]})", "/device/require/1", "did you mean \"fp64\"?"},
        {R"({"require": [1]})", "/device/require/0", "found the number 1"},
    };
    for (const Row& row : rows) {
        CAPTURE(row.rules);
        try {
            DeviceSelector::parse(Json::parse(row.rules));
            FAIL_CHECK("no error");
        } catch (const ConfigError& error) {
            CHECK(error.pointer == row.pointer);
            CAPTURE(error.what());
            CHECK(std::string(error.what()).find(row.message) != std::string::npos);
        }
    }
}

TEST_CASE("every device gets a reason for every rule that was tried") {
    const Inventory inventory = workstation();
    const Selection selection =
        DeviceSelector::parse(
            Json::parse(
                R"({"prefer": [{"vendor": "arm"}, {"type": "gpu", "min_memory_gb": 10, "require": ["fp64"]}, {}],
                    "on_missing": "next"})"))
            .explain(inventory);
    REQUIRE(selection.device);
    CHECK(selection.rule == 1);
    REQUIRE(selection.verdicts.size() == inventory.devices.size());
    const std::string rule = "rule 2 (type gpu, at least 10 GB of memory, requires fp64): ";
    const char* const expected[] = {"it lacks fp64", "it has 8 GB of memory", "chosen",     "it lacks fp64",
                                    "type is cpu",   "type is accelerator",   "type is cpu"};
    for (std::size_t i = 0; i < selection.verdicts.size(); ++i) {
        const DeviceVerdict& verdict = selection.verdicts[i];
        CHECK(verdict.chosen == (i == 2));
        REQUIRE(verdict.reasons.size() == 2);   // the third rule was not needed
        CHECK(verdict.reasons[0] == "rule 1 (vendor arm): vendor is \"" + inventory.devices[i]->info().vendor + "\"");
        CHECK(verdict.reasons[1] == rule + expected[i]);
    }
    const Selection second = DeviceSelector::parse(Json::parse(R"({"type": "gpu"})")).explain(inventory);
    CHECK(second.verdicts[1].reasons.at(0) == "rule 1 (type gpu): admitted, but device 0 comes first");
    const Selection accident = DeviceSelector::parse(Json::parse(R"({"name": "xeon"})")).explain(inventory);
    CHECK(accident.verdicts[6].reasons.at(0).find("chosen only by \"backend\": \"native\"") != std::string::npos);
}

TEST_CASE("no device: the error lists devices, platform problems and what to install") {
    Inventory inventory = workstation();
    const auto message = [&](const char* rules) -> std::string {
        try {
            DeviceSelector::parse(Json::parse(rules)).select(inventory);
        } catch (const UnsupportedError& error) {
            return error.what();
        }
        return "no error";
    };
    const auto has = [](const std::string& text, const char* part) { return text.find(part) != std::string::npos; };

    const std::string strict = message(R"({"prefer": [{"vendor": "arm"}, {"type": "gpu"}]})");
    CHECK(has(strict, "no device meets rule 1 (vendor arm)"));
    CHECK(has(strict, "device 2 \"NVIDIA H200\" (NVIDIA CUDA): rule 1 (vendor arm): vendor is \"NVIDIA Corporation\""));
    CHECK(has(strict, "\"on_missing\" is \"error\""));
    CHECK_FALSE(has(strict, "pocl-opencl-icd"));

    inventory = inventory_of({workstation().devices.back()->info()});
    inventory.problems = {{"Clover", "it has no devices", "nothing needs to be done"},
                          {"OpenCL", "no platform is registered", ""}};
    CHECK_FALSE(has(message(R"({"type": "gpu", "index": -1})"), "no OpenCL device"));   // -1 is native: nobody looked for others
    const std::string bare = message(R"({"type": "gpu"})");
    CHECK(has(bare, "device 0 \"native (Xeon)\" (native): rule 1 (type gpu): type is cpu"));
    CHECK(has(bare, "platform Clover: it has no devices; nothing needs to be done"));
    CHECK(has(bare, "platform OpenCL: no platform is registered"));
    CHECK(has(bare, "install pocl-opencl-icd"));

    inventory = {};
    CHECK(has(message(R"({})"), "no device was found at all"));
}

TEST_CASE("a simulator is taken only where it is meant") {
    DeviceInfo simulator = device(DeviceType::other, "University of Bristol", "Oclgrind", "Oclgrind Simulator", 1);
    simulator.uuid = "01234567-89ab-cdef-0123-456789abcdef";
    const Inventory inventory = inventory_of({simulator, workstation().devices.back()->info()});
    for (const char* rules : {R"({})", R"({"type": "gpu"})", R"({"type": "cpu"})", R"({"type": "accelerator"})",
                              R"({"backend": "opencl"})", R"({"vendor": "bristol"})", R"({"min_memory_mb": 1})"}) {
        CAPTURE(rules);
        CHECK(chosen(DeviceSelector::parse(Json::parse(rules)), inventory) == -1);
    }
    for (const char* rules : {R"({"type": "other"})", R"({"name": "oclgrind"})", R"({"platform": "oclgrind"})", R"({"index": 0})",
                              R"({"uuid": "0123456789abcdef0123456789abcdef"})"}) {
        CAPTURE(rules);
        CHECK(chosen(DeviceSelector::parse(Json::parse(rules)), inventory) == 0);
    }
    CHECK(chosen(DeviceSelector::parse_spec("oclgrind"), inventory) == 0);
}

TEST_CASE("rules for any kind of device take the native one where there is no other, and warn") {
    const DeviceInfo native = workstation().devices.back()->info();
    Inventory alone =
        inventory_of({device(DeviceType::other, "University of Bristol", "Oclgrind", "Oclgrind Simulator", 1), native});
    alone.problems = {{"OpenCL", "no platform is registered", ""}};
    const char* const any = R"({"prefer": [{"type": "gpu"}, {"type": "accelerator"}, {"type": "cpu"}], "on_missing": "next"})";
    take_warnings();
    for (const auto& selector : {DeviceSelector(), DeviceSelector::parse(Json::parse(any)), DeviceSelector::parse_spec("all")}) {
        CHECK(falls_back(selector, alone));
        CHECK(selector.select(alone).device->info().backend == Backend::native);
        REQUIRE(selector.select_all(alone).size() == 1);
        CHECK(selector.select_all(alone).front()->info().backend == Backend::native);
        CHECK(selector.select_equals(alone).size() == 1);
        CHECK_FALSE(falls_back(selector, workstation()));
        CHECK_FALSE(selector.explain(alone).device);
    }
    const auto warnings = take_warnings();
    REQUIRE(warnings.size() == 1);
    CHECK(warnings[0].find("no platform is registered") != std::string::npos);
    CHECK(warnings[0].find("pocl-opencl-icd") != std::string::npos);
    for (const char* rules :
         {R"({"type": "cpu"})", R"({"prefer": [{"type": "gpu"}, {"type": "cpu"}], "on_missing": "next"})",
          R"({"use": [{"type": "cpu"}]})", R"({"prefer": [{"type": "gpu"}, {"type": "accelerator"}, {"type": "cpu"}]})",
          R"({"prefer": [{"type": "gpu", "vendor": "amd"}, {"type": "accelerator"}, {"type": "cpu"}], "on_missing": "next"})"}) {
        CAPTURE(rules);
        CHECK_FALSE(falls_back(DeviceSelector::parse(Json::parse(rules)), alone));
        CHECK_THROWS_AS(DeviceSelector::parse(Json::parse(rules)).select(alone), UnsupportedError);
    }
}

TEST_CASE("only what the rules can take is looked for, and what is found is what the whole list has") {
    const Inventory all = enumerate();
    CHECK(enumerate(DeviceSelector::parse_spec("native")).devices.size() == 1);
    CHECK(enumerate(DeviceSelector::parse_spec("native")).devices[0]->info().index == -1);
    CHECK(native_device()->info().backend == Backend::native);
    for (const auto& device : enumerate(DeviceSelector::parse_spec("cuda")).devices)
        CHECK(device->info().backend != Backend::opencl);
    for (const char* rules :
         {R"({})", R"({"type": "cpu"})", R"({"backend": "opencl"})", R"({"index": 0})", R"({"backend": "opencl", "index": 0})",
          R"({"use": "all"})", R"({"prefer": [{"backend": "cuda"}, {"type": "gpu"}, {"type": "cpu"}], "on_missing": "next"})",
          R"({"index": -1})"}) {
        CAPTURE(rules);
        const DeviceSelector selector = DeviceSelector::parse(Json::parse(rules));
        const Selection whole = selector.explain(all), part = selector.explain(enumerate(selector));
        REQUIRE((whole.device != nullptr) == (part.device != nullptr));
        if (!whole.device) continue;
        CHECK(whole.device->info().name == part.device->info().name);
        CHECK(whole.device->info().backend == part.device->info().backend);
        CHECK((part.device->info().index == whole.device->info().index || part.device->info().index == -1));
        CHECK(selector.select_all(all).size() == selector.select_all(enumerate(selector)).size());
    }
}

TEST_CASE("the schema names every key") {
    const Json schema = DeviceSelector::schema();
    const Json& list = schema.at("oneOf").at(0);
    const Json& rule = schema.at("oneOf").at(1);
    CHECK(list.at("properties").contains("prefer"));
    CHECK(list.at("properties").contains("on_missing"));
    CHECK(list.at("additionalProperties") == false);
    for (const char* key :
         {"type", "vendor", "platform", "name", "backend", "index", "uuid", "pci", "min_memory_mb", "min_memory_gb", "require"})
        CHECK(rule.at("properties").contains(key));
    CHECK(rule.at("additionalProperties") == false);
}
