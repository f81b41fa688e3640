#include "parallax/host/error.hpp"

#include <doctest/doctest.h>

#include <memory>
#include <string>

using namespace parallax;

TEST_CASE("messages stay readable, however long a name in them is") {
    const std::string name(2'000'000, 'n'), told = "\"" + name + "\", which is none";
    const std::shared_ptr<Error> errors[] = {
        std::make_shared<ConfigError>("/" + name, told, told, told),
        std::make_shared<IoError>(name, told, told),
        std::make_shared<DeviceError>("clFinish", -5, "CL_OUT_OF_RESOURCES", name),
        std::make_shared<UnsupportedError>("no device meets " + told, std::vector<std::string>{told, told}),
    };
    for (const auto& error : errors) {
        CAPTURE(error->kind());
        CHECK(std::string(error->what()).size() < 3000);
        CHECK(std::string(error->what()).find("bytes in all)") != std::string::npos);
    }
    const ConfigError error("", told, "");
    CHECK(error.found.find("which is none (") != std::string::npos);   // the end stays
    CHECK(static_cast<const IoError&>(*errors[1]).path == name);
}

TEST_CASE("errors compose one message for a person") {
    struct Row {
        std::shared_ptr<Error> error;
        const char* kind;
        const char* message;
    };
    const Row rows[] = {
        {std::make_shared<ConfigError>("/steps/0/wavelength_nm", "the string \"red\"", "a number above 0", "did you mean 632?"),
         "config", "/steps/0/wavelength_nm: found the string \"red\", expected a number above 0. did you mean 632?"},
        {std::make_shared<ConfigError>("", "a list", "an object"), "config",
         "found a list, expected an object"},
        {std::make_shared<ConfigError>("/a", "", "an object."), "config", "/a: expected an object."},
        {std::make_shared<DeviceError>("clFinish", -5, "CL_OUT_OF_RESOURCES", "hologram/transfer", "use smaller tiles"), "device",
         "hologram/transfer: clFinish failed with CL_OUT_OF_RESOURCES (-5). use smaller tiles"},
        {std::make_shared<DeviceError>("launch", 0, "", ""), "device", "launch failed"},
        {std::make_shared<DeviceError>("clFinish", -7000, "", "step"), "device", "step: clFinish failed with code -7000"},
        {std::make_shared<BuildError>("fft/a.cl", 12, "-DN=4", "a.cl:12: error"), "build",
         "fft/a.cl:12: the kernel does not compile\noptions: -DN=4\na.cl:12: error"},
        {std::make_shared<BuildError>("fft/a.cl", 0, "", ""), "build",
         "fft/a.cl: the kernel does not compile\nthe driver gave no log"},
        {std::make_shared<IoError>("in.tif", "no such file", "check the path"), "io", "in.tif: no such file. check the path"},
        {std::make_shared<UnsupportedError>("no device", std::vector<std::string>{"a: small", "b: slow"}), "unsupported",
         "no device\n  - a: small\n  - b: slow"},
        {std::make_shared<UnsupportedError>("no device", std::vector<std::string>{}), "unsupported", "no device"},
    };
    for (const Row& row : rows) {
        CHECK(std::string(row.error->what()) == row.message);
        CHECK(std::string(row.error->kind()) == row.kind);
    }
}
