// Many small jobs at once: as many threads on one engine, and as many processes on one program cache.
#include "devices.hpp"
#include "jobs.hpp"
#include "peers/peers.hpp"

#include <atomic>
#include <mutex>
#include <thread>

using namespace parallax;
using namespace parallax::tests;
using namespace parallax::tests::faults;

TEST_CASE("a thousand jobs on eight threads give what they give one after another") {
    constexpr std::size_t threads = 8, jobs = 1000;
    const Workshop workshop;
    const std::vector<const Subject*> chosen{&subjects()[2], &subjects()[3], &subjects()[4]};
    std::vector<DevicePtr> devices;
    for (const DevicePtr& device : devices_under_test())
        if (bears_threads(*device)) devices.push_back(device);
    for (const DevicePtr& device : devices) {
        CAPTURE(device_label(*device));
        engine::Engine engine(*device, engine::registry_with_peers(), {host::ProgramCache::open()});
        std::vector<std::map<std::string, std::string>> serial;
        for (const Subject* subject : chosen) {
            engine::run(workshop.prepare(*subject, "serial"), engine);
            serial.push_back(workshop.outputs("serial"));
            workshop.clear("serial");
        }
        std::atomic<std::size_t> next{0};
        std::mutex mutex;
        std::vector<std::string> wrong;
        const auto work = [&](std::size_t thread) {
            const std::string out = "thread" + std::to_string(thread);
            for (std::size_t job = next++; job < jobs / devices.size(); job = next++) {
                std::string problem;
                try {
                    const std::size_t which = job % chosen.size();
                    engine::run(workshop.prepare(*chosen[which], out), engine);
                    if (workshop.outputs(out) != serial[which]) problem = std::string(chosen[which]->name) + " differs";
                    workshop.clear(out);
                } catch (const std::exception& error) {
                    problem = error.what();
                }
                const std::lock_guard lock(mutex);
                if (!problem.empty()) wrong.push_back(problem);
            }
        };
        std::vector<std::thread> pool;
        for (std::size_t i = 0; i < threads; ++i) pool.emplace_back(work, i);
        for (std::thread& thread : pool) thread.join();
        CHECK_MESSAGE(wrong.empty(), (wrong.empty() ? "" : wrong.front()));
        CHECK(engine.context().allocated() == 0);
    }
}
