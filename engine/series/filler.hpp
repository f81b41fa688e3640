// What the placeholders of a series are for one of its items.
#pragma once

#include "series/items.hpp"

#include <string>

namespace parallax::engine::series {

class Filler {
public:
    /// The items outlive it.
    Filler(const Items& items, std::size_t number) : sources_(items.for_each.sources), item_(items.list.at(number)) {}
    /// "{frame.stem}.png" for the item.
    std::string operator()(const std::string& text) const;
    /// The same of a text whose * and ? stand for others (job/pattern.hpp): those in the names of the item's files do not.
    std::string pattern(const std::string& text) const;
    const Item& item() const noexcept { return item_; }

private:
    std::string value(const std::string& variable, const std::string& part) const;

    const std::vector<ForEachSource>& sources_;
    Item item_;
};

}  // namespace parallax::engine::series
