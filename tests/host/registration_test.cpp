// Drivers that are registered but broken. The loader reads its folder once in a process: the check is called directly.
#include "opencl/registration.hpp"

#include <doctest/doctest.h>

#include "opencl/errors.hpp"
#include "parallax/host/error.hpp"
#include "support.hpp"

using namespace parallax;
using namespace parallax::host;
using namespace parallax::tests;

TEST_CASE("an .icd file that names a missing library, or none, is a problem that says so") {
    const TemporaryFolder folder;
    write_text(folder.path() / "a.icd", "libthere_is_no_such_driver.so.1\n");
    write_text(folder.path() / "b.icd", "");
    write_text(folder.path() / "c.icd", "/nowhere/lib.so");
    write_text(folder.path() / "readme.txt", "libthere_is_no_such_driver.so.1");
    const auto problems = [](const std::string& vendors) {
        const ScopedVariable variable("OCL_ICD_VENDORS", vendors);
        Inventory inventory;
        opencl::add_registration_problems(inventory);
        return inventory.problems;
    };
    const auto all = problems(folder.path().string());
    REQUIRE(all.size() == 3);
    CHECK(all[0].platform == (folder.path() / "a.icd").string());
    CHECK(all[0].reason.find("libthere_is_no_such_driver.so.1") != std::string::npos);
    CHECK(all[1].reason.find("names no library") != std::string::npos);
    CHECK(all[2].reason.find("/nowhere/lib.so") != std::string::npos);
    for (const PlatformProblem& problem : all) CHECK_FALSE(problem.hint.empty());

    CHECK(problems((folder.path() / "a.icd").string()).size() == 1);
    CHECK(problems((folder.path() / "none.icd").string()).size() == 1);
    CHECK(problems("libthere_is_no_such_driver.so.1").size() == 1);
    {
        const ScopedVariable more("OCL_ICD_FILENAMES", "libthere_is_no_such_driver.so.1:/nowhere/lib.so");
        CHECK(problems((folder.path() / "c.icd").string()).size() == 3);
    }
    {
        const ScopedVariable vendors("OCL_ICD_VENDORS", folder.path().string());
        Inventory inventory;   // one that was left out is told with its own reason, and not loaded
        opencl::add_registration_problems(inventory, {{{"a.icd", "libthere_is_no_such_driver.so.1"}, "it crashed", "remove it"}});
        REQUIRE(inventory.problems.size() == 3);
        CHECK(inventory.problems[0].reason == "it crashed");
    }
    {
        const ScopedVariable none("OCL_ICD_VENDORS", std::nullopt), path("OPENCL_VENDOR_PATH", folder.path().string());
        Inventory inventory;   // the loader's other variable, where the first is not set
        opencl::add_registration_problems(inventory);
        CHECK(inventory.problems.size() == 3);
    }
    // Bytes of something else name no library.
    write_text(folder.path() / "noise.icd", std::string("\x7f"
                                                        "ELF\x02\x01\0\x1b[31m",
                                                        12));
    CHECK(problems((folder.path() / "noise.icd").string()).at(0).reason.find("names no library") != std::string::npos);
    // What editors of Windows put behind a name is no part of it to people, but to loaders.
    for (const char* const name : {"libno_driver.so.1\r\n", "  libno_driver.so.1\n", "libno_driver.so.1 "}) {
        write_text(folder.path() / "padded.icd", name);
        const auto padded = problems((folder.path() / "padded.icd").string());
        REQUIRE(padded.size() == 1);
        CHECK(padded[0].reason.find("stand beside the library's name") != std::string::npos);
        CHECK(padded[0].hint.find("echo libno_driver.so.1 > ") != std::string::npos);
    }
    fs::create_directory(folder.path() / "empty");
    CHECK(problems((folder.path() / "empty").string()).empty());
}

TEST_CASE("codes have names and hints") {
    CHECK(std::string(opencl::code_name(-5)) == "CL_OUT_OF_RESOURCES");
    CHECK(std::string(opencl::code_name(-1001)) == "CL_PLATFORM_NOT_FOUND_KHR");
    CHECK(std::string(opencl::code_name(-123456)) == "unknown code");
    CHECK(opencl::hint_for(-4).find("smaller tiles") != std::string::npos);
    CHECK(opencl::hint_for(-5).find("smaller tiles") != std::string::npos);
    CHECK(opencl::hint_for(-54).find("work_group_size") != std::string::npos);
    try {
        opencl::check(-5, "clFinish", "hologram/transfer");
        FAIL("no error");
    } catch (const DeviceError& error) {
        CHECK(std::string(error.what()).find("hologram/transfer: clFinish failed with CL_OUT_OF_RESOURCES (-5)") == 0);
    }
    opencl::check(0, "clFinish", "");
}
