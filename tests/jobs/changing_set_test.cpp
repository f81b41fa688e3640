// An OME-TIFF of several files whose members are exchanged, written over, cut off and removed beside running jobs: each job
// fails, or every plane is of the file that the set has for it, and the planes of a file are of one state of it.
#include "exchanged.hpp"
#include "ome_set.hpp"
#include "parallax/host/enumerate.hpp"
#include "peers/peers.hpp"
#include "seed.hpp"

#include <atomic>
#include <chrono>
#include <random>
#include <thread>

using namespace parallax;
using namespace parallax::engine;
using namespace parallax::tests;

#if !defined(_WIN32)

namespace {

constexpr int secret = 250;

std::string member(int state, int t, const std::string& words) {
    const int first = 60 * state + 10 * t;
    return pages_with({static_cast<std::uint8_t>(first), static_cast<std::uint8_t>(first + 1)}, words);
}

/// Planes in the order of their files, none twice: both of a file, or the first of one that has no more.
bool is_right(const std::vector<int>& values) {
    int before = -1;
    for (std::size_t i = 0; i < values.size(); ++i) {
        const int first = values[i], t = first % 60 / 10;
        if (first % 10 != 0 || first >= 180 || t <= before) return false;
        before = t;
        if (i + 1 < values.size() && values[i + 1] == first + 1) ++i;
    }
    return !values.empty();
}

}   // namespace

TEST_CASE("changing: members of a set are exchanged beside running jobs, confined or not") {
    const long flips = asked_flips() / 2;
    const std::uint64_t seed = drawn_seed();
    MESSAGE("PARALLAX_TEST_SEED=" << seed);
    Engine engine(*host::enumerate().native(), registry_with_peers());
    for (const bool confined : {false, true}) {
        CAPTURE(confined);
        const TempFolder folder, outside;
        fs::create_directories(folder / "job");
        const std::string three = words_of_set(3), two = words_of_set(2);
        for (int t = 0; t < 3; ++t) {
            write_text(folder / "job" / name_in_set(t), member(0, t, three));
            write_text(outside / ("hidden-name-" + std::to_string(t)), pages_with({secret, secret + 1}, three));
        }
        std::atomic<long> done = 0;
        std::jthread other([&](const std::stop_token& stop) {
            std::mt19937_64 random(seed);
            while (done < flips && !stop.stop_requested()) {
                const int t = static_cast<int>(random() % 3), state = static_cast<int>(random() % 3);
                const fs::path file = folder / "job" / name_in_set(t);
                std::error_code ignored;
                switch (random() % 9) {
                    case 0: fs::remove(file, ignored); break;
                    case 1: put_anew(file, member(state, t, two)); break;
                    case 2:
                        put_anew(file, pages_with({static_cast<std::uint8_t>(60 * state + 10 * t)}, three));
                        break;   // a page less
                    case 3: put_anew(file, "II*"); break;
                    case 4:
                        fs::remove(file, ignored);
                        if (confined) fs::create_symlink(outside / ("hidden-name-" + std::to_string(t)), file, ignored);
                        break;
                    case 5: fs::resize_file(file, 9, ignored); break;
                    case 6: write_text(file, member(state, t, three)); break;   // in place
                    default: put_anew(file, member(state, t, three));
                }
                ++done;
                if (random() % 2 == 0) std::this_thread::sleep_for(std::chrono::microseconds(random() % 2000));
                for (int each = 0; each < 3 && random() % 3 == 0; ++each)   // often enough the set is whole
                    put_anew(folder / "job" / name_in_set(each), member(state, each, three));
            }
        });
        CopiedBeside job(engine, folder, name_in_set(1), confined);
        long right = 0, whole = 0;
        for (bool at_last = false; !at_last;) {
            if (done >= flips) {   // how many were right beside the other is luck; alone the same job is
                other.join();
                for (int t = 0; t < 3; ++t) put_anew(folder / "job" / name_in_set(t), member(0, t, three));
                at_last = true;
                whole = 0;
            }
            const std::optional<HostArray> array = job.run();
            if (!array) continue;
            std::vector<int> values;
            for (std::int64_t i = 0; i < array->desc.count(); ++i) values.push_back(array->as<std::uint8_t>()[i]);
            CAPTURE(Json(values).dump());
            REQUIRE(is_right(values));
            ++right;
            whole += values.size() == 6 ? 1 : 0;
        }
        MESSAGE(std::string(confined ? "confined: " : "") << done.load() << " exchanges, " << right << " jobs right, "
                                               << job.refused() << " refused, of them as changed " << job.changed());
        CHECK(whole == 1);
    }
}

#endif
