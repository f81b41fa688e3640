// The items of a series: what for_each finds, in order, and the job that each of them is.
#pragma once

#include "job/job.hpp"
#include "job/paths.hpp"

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <shared_mutex>
#include <string>
#include <unordered_map>
#include <vector>

namespace parallax::engine::series {

/// What one variable is for one item: a file, a page of a stack or a volume of a 4-D image.
struct Element {
    std::filesystem::path file;
    std::int64_t index = 0;                   ///< among all that the variable finds, before range and stride
    std::optional<std::int64_t> part;         ///< page or volume of the file, from 0
};

/// An element for each variable, in the order of ForEach::sources.
using Item = std::vector<Element>;

/// Items by their numbers. It may grow while others read it; copies are the same list.
class ItemList {
public:
    std::size_t size() const {
        const std::shared_lock lock(data_->mutex);
        return data_->items.size();
    }
    Item at(std::size_t number) const {
        const std::shared_lock lock(data_->mutex);
        return data_->items.at(number);
    }
    void add(Item) const;
    /// Which of several items of the same files this is, from 1 on: patterns may overlap.
    std::size_t time_of(std::size_t number) const {
        const std::shared_lock lock(data_->mutex);
        const auto again = data_->again.find(number);
        return again == data_->again.end() ? 1 : again->second;
    }

private:
    struct Data {
        std::shared_mutex mutex;
        std::vector<Item> items;
        std::unordered_map<std::string, std::size_t> times;   ///< how many there are of the same files
        std::map<std::size_t, std::size_t> again;             ///< number of an item that is not the first of them -> which it is
    };
    std::shared_ptr<Data> data_ = std::make_shared<Data>();
};

/// The axis along which items follow each other, and how far: seconds of frames, `unit` of slices; 0: not known.
struct Spread {
    char axis = 't';
    double spacing = 0;
    std::string unit{};
};

struct Items {
    ForEach for_each;
    ItemList list;
    Locations where;                          ///< what names are relative to
    Spread along{};                            ///< where they are frames or slices of one file
    std::vector<std::string> warnings;        ///< what somebody should know before it runs

    std::size_t size() const { return list.size(); }
    /// For people and for the manifest: "run7/0001.tif", "data:stack.tif#12", of several variables joined by " + ", and where a
    /// file comes more than once "run7/0001.tif (time 2)". The same from wherever the job is run; no two items have one.
    std::string name(std::size_t number) const;
};

/// The numbers of items in the order of their files' names, in which what came in any order is put together.
std::vector<std::size_t> numbers_by_name(const ItemList&);

/// Expands patterns, counts pages and volumes, applies ranges and strides. Throws ConfigError where nothing is found, or
/// variables that go side by side have different lengths; IoError for a stack that cannot be read. Without for_each the
/// series has one item without variables.
Items find_items(const Job&, const Locations&);
/// Of files that are known: one item each.
Items items_of_files(const Job&, const Locations&, const std::vector<std::filesystem::path>&);

/// The job of one item: placeholders filled, outputs of the whole series marked as gathered, no for_each.
Job job_of(const Job& series, const Items&, std::size_t number);

}  // namespace parallax::engine::series
