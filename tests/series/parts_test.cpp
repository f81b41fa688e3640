// Parts of a series by themselves: statistics that do not mind the order, journals that mind every byte, queues.
#include "io/io.hpp"
#include "jobs/support.hpp"
#include "series/channel.hpp"
#include "series/manifest.hpp"
#include "series/neighbours.hpp"
#include "series/statistic.hpp"

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

TEST_CASE("statistics: any order, any split, the same bits") {
    const TempFolder folder;
    constexpr std::size_t elements = 37, arrays = 23;
    std::mt19937 random(3);
    std::vector<HostArray> values;
    for (std::size_t i = 0; i < arrays; ++i) {
        std::vector<float> row(elements);
        for (float& v : row) v = std::ldexp(static_cast<float>(random() % 20001) - 10000.0f, static_cast<int>(random() % 60) - 40);
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
            const auto total = make_statistic(how, elements, {});
            for (const auto& [begin, end] : {std::pair<std::size_t, std::size_t>{0, split}, {split, arrays}}) {
                if (begin == end) continue;
                const fs::path stem = folder / std::to_string(name++);
                const auto part = make_statistic(how, elements, stem);
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
            const double expected = std::string(how) == "min"      ? column.front()
                                    : std::string(how) == "max"    ? column.back()
                                    : std::string(how) == "median" ? column[arrays / 2]
                                                                   : std::accumulate(column.begin(), column.end(), 0.0) / static_cast<double>(arrays);
            CHECK(static_cast<double>(first[e]) == doctest::Approx(expected).epsilon(1e-6));
        }
        CHECK(std::isnan(first[4]));
        if (std::string(how) == "mean") {
            CHECK(std::isnan(first[3]));
            CHECK(first[5] == -std::numeric_limits<float>::infinity());
        }
    }
    CHECK_THROWS_AS(make_statistic("mean", 1, {})->add(floats(1, 1, {2e12f}), 0), Error);
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
    CHECK_THROWS_AS(Manifest::open(folder.path(), job, {{"bg.tif", 0, 0, "other"}}), ConfigError);
}

TEST_CASE("channel: bounded, in order, and it ends") {
    Channel<int> channel(2);
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
        return floats(1, 1, {static_cast<float>(item)});
    }, 10, 7);
    const auto values = [&](std::size_t item) {
        std::vector<float> list;
        for (const HostArray& array : neighbours.around(item, 3)) list.push_back(array.as<float>()[0]);
        return list;
    };
    CHECK(values(0) == std::vector<float>{0, 1});
    CHECK(values(3) == std::vector<float>{2, 3, 4});
    CHECK(values(9) == std::vector<float>{8, 9});
    CHECK(values(4) == std::vector<float>{3, 4, 5});
    CHECK(reads == 8);
    CHECK_THROWS_AS(values(5), IoError);
}
