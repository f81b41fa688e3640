// Parts of a series by themselves: statistics that do not mind the order, journals that mind every byte, queues.
#include "io/io.hpp"
#include "jobs/support.hpp"
#include "exec/channel.hpp"
#include "series/manifest.hpp"
#include "series/neighbours.hpp"
#include "series/statistic.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>
#include <random>
#include <thread>

using namespace parallax;
using namespace parallax::engine::series;
using namespace parallax::tests;

namespace {

ArrayDesc line(std::size_t elements) { return ArrayDesc::dense(ElementType::f32, {{'x', static_cast<std::int64_t>(elements)}}); }

}  // namespace

TEST_CASE("statistics: any order, any split, the same bits") {
    const TempFolder folder;
    constexpr std::size_t elements = 37, arrays = 23;
    std::mt19937 random(3);
    std::vector<HostArray> values;
    for (std::size_t i = 0; i < arrays; ++i) {
        std::vector<float> row(elements);
        for (float& v : row)
            v = std::ldexp(static_cast<float>(random() % 20001) - 10000.0f, static_cast<int>(random() % 60) - 40);
        if (i == 5) row[3] = std::numeric_limits<float>::infinity();
        if (i == 7) row[4] = std::numeric_limits<float>::quiet_NaN();
        if (i == 8) row[3] = -std::numeric_limits<float>::infinity();
        if (i == 9) row[5] = -std::numeric_limits<float>::infinity();
        values.push_back(floats(elements, 1, row));
    }
    int name = 0;
    for (const char* how : {"mean", "median", "min", "max"}) {
        CAPTURE(std::string(how));
        const auto result_of = [&](std::vector<std::size_t> order, std::size_t split) {
            std::vector<float> result(elements);
            const auto total = make_statistic(how, line(elements), {});
            for (const auto& [begin, end] : {std::pair<std::size_t, std::size_t>{0, split}, {split, arrays}}) {
                if (begin == end) continue;
                const fs::path stem = folder / std::to_string(name++);
                const auto part = make_statistic(how, line(elements), stem);
                for (std::size_t i = begin; i < end; ++i) part->add(values[order[i]], i - begin);
                total->merge(part->save(stem, 1), end - begin);
            }
            total->result(result.data());
            return result;
        };
        std::vector<std::size_t> order(arrays);
        std::iota(order.begin(), order.end(), std::size_t{0});
        const std::vector<float> first = result_of(order, arrays);
        for (std::size_t split : {std::size_t{0}, std::size_t{7}, std::size_t{22}}) {
            std::shuffle(order.begin(), order.end(), random);
            const std::vector<float> other = result_of(order, split);
            CHECK(std::memcmp(first.data(), other.data(), elements * sizeof(float)) == 0);
        }
        for (std::size_t e = 6; e < elements; ++e) {
            std::vector<double> column;
            for (const HostArray& array : values) column.push_back(static_cast<double>(array.as<float>()[e]));
            std::sort(column.begin(), column.end());
            const double expected = std::string(how) == "min"   ? column.front()
                                    : std::string(how) == "max" ? column.back()
                                    : std::string(how) == "median"
                                        ? column[arrays / 2]
                                        : std::accumulate(column.begin(), column.end(), 0.0) / static_cast<double>(arrays);
            CHECK(static_cast<double>(first[e]) == doctest::Approx(expected).epsilon(1e-6));
        }
        CHECK(std::isnan(first[4]));
        if (std::string(how) == "mean") {
            CHECK(std::isnan(first[3]));
            CHECK(first[5] == -std::numeric_limits<float>::infinity());
        }
    }
    CHECK_THROWS_AS(make_statistic("mean", line(1), {})->add(floats(1, 1, {2e12f}), 0), Error);
}

TEST_CASE(
    "statistics: what is added up fast, what is not and what changes from one to the other give exact sums, in any threads") {
    const TempFolder folder;
    constexpr std::size_t elements = 5000, arrays = 96;
    constexpr double unit = 0x1p-30;
    std::mt19937_64 random(5);
    std::vector<std::int64_t> sums(elements, 0);   // in units
    std::vector<HostArray> values;
    for (std::size_t n = 0; n < arrays; ++n) {
        HostArray array = HostArray::make(ArrayDesc::dense(ElementType::f64, {{'x', static_cast<std::int64_t>(elements)}}));
        // Dark arrays, bright ones, and some with a few elements that are neither.
        const int bits = n % 3 == 0 ? 12 : n % 3 == 1 ? 53 : 40;
        for (std::size_t i = 0; i < elements; ++i) {
            const int here = n % 3 == 2 && i % 97 == 0 ? 54 : bits;
            const std::int64_t value = static_cast<std::int64_t>(random() >> (64 - here)) - (std::int64_t{1} << (here - 1));
            const double kept = static_cast<double>(value) * unit;
            array.as<double>()[i] = kept;
            sums[i] += static_cast<std::int64_t>(kept / unit);
        }
        values.push_back(std::move(array));
    }
    for (const int threads : {1, 4}) {
        const auto part = make_statistic("mean", line(elements), {});
        std::atomic<std::size_t> next = 0;
        {
            std::vector<std::jthread> pool;
            for (int t = 0; t < threads; ++t) {
                pool.emplace_back([&] {
                    for (std::size_t n; (n = next++) < arrays;) part->add(values[(n * 37) % arrays], n);
                });
            }
        }
        std::vector<float> result(elements), merged(elements);
        part->result(result.data());
        const auto total = make_statistic("mean", line(elements), {});
        total->merge(part->save(folder / fmt::format("state{}", threads), 1), arrays);
        total->result(merged.data());
        bool right = true;
        for (std::size_t i = 0; i < elements; ++i)
            right = right && result[i] == static_cast<float>(static_cast<double>(sums[i]) * unit / static_cast<double>(arrays));
        CHECK(right);
        CHECK(std::memcmp(result.data(), merged.data(), elements * sizeof(float)) == 0);
    }
    // Small numbers below zero beside large ones, and more arrays than the fast sums hold.
    const auto mean = make_statistic("mean", line(3), {});
    const HostArray array = floats(3, 1, {-0x1p-60f, 0x1p39f, -0x1p-71f});
    for (std::size_t n = 0; n < 5000; ++n) mean->add(array, n);
    std::vector<float> result(3);
    mean->result(result.data());
    for (std::int64_t i = 0; i < 3; ++i) CHECK(result[static_cast<std::size_t>(i)] == array.as<float>()[i]);
}

TEST_CASE("statistics: a mean of small numbers is theirs, down to the smallest, however it is split") {
    const TempFolder folder;
    constexpr std::size_t arrays = 7;
    const std::vector<float> sizes{1e-12f, 1.2345678e-18f, -1e-18f, 1e-22f, 3.3e-25f, -1e-38f, 1.4e-45f, 0.0f, 1.0f, 3e-18f};
    std::vector<HostArray> values;
    for (std::size_t n = 0; n < arrays; ++n) {
        std::vector<float> row = sizes;
        for (float& v : row) v *= static_cast<float>(n + 1);
        if (n < 2) row.back() = n == 0 ? 1e9f : -1e9f;   // beside which floating point would lose the small ones
        values.push_back(floats(static_cast<std::int64_t>(sizes.size()), 1, row));
    }
    for (const std::size_t split : {std::size_t{0}, std::size_t{3}}) {
        const auto total = make_statistic("mean", line(sizes.size()), {});
        for (const auto& [begin, end] : {std::pair<std::size_t, std::size_t>{0, split}, {split, arrays}}) {
            if (begin == end) continue;
            const auto part = make_statistic("mean", line(sizes.size()), {});
            for (std::size_t n = begin; n < end; ++n) part->add(values[n], n - begin);
            total->merge(part->save(folder / fmt::format("small{}-{}", split, begin), 1), end - begin);
        }
        std::vector<float> result(sizes.size());
        total->result(result.data());
        for (std::size_t i = 0; i < sizes.size(); ++i) {
            CAPTURE(i);
            double sum = 0;
            for (const HostArray& array : values) sum += static_cast<double>(array.as<float>()[i]);
            CHECK(result[i] == static_cast<float>(sum / static_cast<double>(arrays)));
        }
    }
}

TEST_CASE("statistics: medians of many arrays and of few, in threads") {
    const TempFolder folder;
    constexpr std::size_t elements = 77;
    for (const std::size_t arrays : {std::size_t{1}, std::size_t{2}, std::size_t{6}, std::size_t{255}, std::size_t{300}}) {
        CAPTURE(arrays);
        std::mt19937 random(7);
        std::vector<HostArray> values;
        for (std::size_t n = 0; n < arrays; ++n) {
            std::vector<float> row(elements);
            for (float& v : row) v = static_cast<float>(random() % 1000) - 500.0f;
            row[0] = n % 2 == 0 ? 0.0f : -0.0f;
            row[1] = std::numeric_limits<float>::infinity();
            if (n + 1 == arrays) row[2] = std::numeric_limits<float>::quiet_NaN();
            values.push_back(floats(elements, 1, row));
        }
        const fs::path stem = folder / fmt::format("m{}", arrays);
        const auto part = make_statistic("median", line(elements), stem), total = make_statistic("median", line(elements), {});
        std::atomic<std::size_t> next = 0;
        {
            std::vector<std::jthread> pool;
            for (int t = 0; t < 3; ++t) {
                pool.emplace_back([&] {
                    for (std::size_t n; (n = next++) < arrays;) part->add(values[n], n);
                });
            }
        }
        total->merge(part->save(stem, 1), arrays);
        std::vector<float> result(elements);
        total->result(result.data());
        CHECK(!std::signbit(result[0]));
        CHECK(result[1] == std::numeric_limits<float>::infinity());
        CHECK(std::isnan(result[2]));
        bool right = true;
        for (std::size_t e = 3; e < elements; ++e) {
            std::vector<float> column;
            for (const HostArray& array : values) column.push_back(array.as<float>()[e]);
            std::sort(column.begin(), column.end());
            right = right && result[e] == (column[(arrays - 1) / 2] + column[arrays / 2]) / 2;
        }
        CHECK(right);
        const HostArray together = io::combine(values, "median");
        CHECK(std::memcmp(together.as<float>() + 3, result.data() + 3, (elements - 3) * sizeof(float)) == 0);
    }
}

TEST_CASE("manifest: torn and damaged lines do not count, the later of two does") {
    const TempFolder folder;
    const Json job{{"steps", 1}};
    {
        Manifest manifest = Manifest::open(folder.path(), job, {});
        for (const char* item : {"a", "b", "c"}) {
            Record record;
            record.item = item;
            record.done = true;
            record.rows = {{"t", {{"value", 1.5}}}};
            record.outputs = {{"x/" + std::string(item), 3, 4, "hash"}};
            manifest.append(record);
        }
        Record failed;
        failed.item = "b";
        failed.error = "\xff is no UTF-8";
        manifest.append(failed);
    }
    fs::path journal;
    for (const auto& entry : fs::directory_iterator(folder.path())) {
        if (entry.path().extension() == ".jsonl") journal = entry.path();
    }
    const std::string text = read_text(journal);
    const auto load = [&] { return Manifest::open(folder.path(), job, {}).load(); };
    CHECK(load().size() == 3);
    CHECK(load().at("a").done);
    CHECK(load().at("a").rows["t"]["value"] == 1.5);
    CHECK(load().at("a").outputs[0].bytes == 3);
    CHECK_FALSE(load().at("b").done);
    for (std::size_t cut : {text.size() - 1, text.size() - 20}) {
        write_text(journal, text.substr(0, cut));   // killed while the last line was written
        CHECK(load().at("b").done);
    }
    std::string damaged = text;
    damaged[30] ^= 1;
    write_text(journal, damaged);
    CHECK(load().count("a") == 0);
    CHECK(load().count("c") == 1);
    const auto error = error_of<ConfigError>([&] { Manifest::open(folder.path(), Json{{"steps", 2}}, {}); });
    CHECK(error.pointer == "/steps");
    CHECK(contains(error.found, "2, another job"));
    CHECK_THROWS_AS(Manifest::open(folder.path(), job, {{"background", "bg.tif", "other"}}), ConfigError);
}

TEST_CASE("manifest: what comes later counts, although a clock was years ahead, and in folders of before") {
    const TempFolder folder;
    const Json job{{"steps", 1}};
    Record record;
    record.item = "a";
    record.error = "was wrong";
    Manifest::open(folder.path(), job, {}).append(record);
    // As it was before records had a sequence, written in the year 2100.
    fs::path journal;
    for (const auto& entry : fs::directory_iterator(folder.path()))
        if (entry.path().extension() == ".jsonl") journal = entry.path();
    Json line = Json::parse(read_text(journal).substr(17));
    line.erase("sequence");
    line["at"] = 4102444800000000000;
    write_text(journal, io::hash_text(line.dump()).substr(0, 16) + ' ' + line.dump() + '\n');
    CHECK(Manifest::open(folder.path(), job, {}).load().at("a").error == "was wrong");
    record.done = true;
    for (int again = 0; again < 3; ++again) {   // each by a process of its own, so to speak
        record.rows = {{"t", {{"value", again}}}};
        Manifest::open(folder.path(), job, {}).append(record);
        const Record known = Manifest::open(folder.path(), job, {}).load().at("a");
        CHECK(known.done);
        CHECK(known.rows["t"]["value"] == again);
    }
}

TEST_CASE("manifest: a file is what it was by size, time and inode; else its hash decides") {
    const TempFolder folder;
    const fs::path file = folder / "a.txt";
    write_text(file, "one");
    const FileState state = state_of(engine::report_file(file));
    CHECK(unchanged(state));
    const auto time = fs::last_write_time(file);
    fs::rename(file, folder / "b.txt");   // another file of the same size and time
    write_text(file, "two");
    fs::last_write_time(file, time);
    CHECK_FALSE(unchanged(state));
    write_text(file, "one");              // the same contents, at another time
    CHECK(unchanged(state));
    fs::remove(file);
    CHECK_FALSE(unchanged(state));
}

TEST_CASE("channel: bounded, in order, and it ends") {
    engine::Channel<int> channel(2);
    std::vector<int> got;
    std::thread reader([&] {
        while (const auto value = channel.pop()) got.push_back(*value);
    });
    for (int i = 0; i < 1000; ++i) channel.push(i);
    channel.close();
    reader.join();
    CHECK(got.size() == 1000);
    CHECK(std::is_sorted(got.begin(), got.end()));
    CHECK_FALSE(channel.push(1));
    CHECK_FALSE(channel.try_pop().has_value());
}

TEST_CASE("neighbours: each frame is read once while it is wanted, and errors are those of the frame") {
    std::atomic<int> reads{0};
    Neighbours neighbours([&](std::size_t item) {
        ++reads;
        if (item == 6) throw IoError("f6", "is broken");
        return Frame{floats(1, 1, {static_cast<float>(item)}), {}};
    }, 10, 7);
    const auto values = [&](std::size_t item) {
        std::vector<float> list;
        for (const Frame& frame : neighbours.around(item, 3)) list.push_back(frame.array.as<float>()[0]);
        return list;
    };
    CHECK(values(0) == std::vector<float>{0, 1});
    CHECK(values(3) == std::vector<float>{2, 3, 4});
    CHECK(values(9) == std::vector<float>{8, 9});
    CHECK(values(4) == std::vector<float>{3, 4, 5});
    CHECK(reads == 8);
    CHECK_THROWS_AS(values(5), IoError);
}
