// A record's values: a focus curve, counts, statistics.
#pragma once

#include "parallax/export.hpp"

#include <cstddef>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace parallax {

/// What a call gave beside arrays. A path goes through members and list elements: "best/distance_um", "fits/0/dimension". Every
/// function throws ConfigError with what stands there instead where there is no such value.
///
/// Example:
///   const Record focus = result.values("focus");
///   const double best = focus.number("best/distance_um");
///   const std::vector<double> curve = focus.numbers("values");
class PARALLAX_API Record {
public:
    explicit Record(const std::string& json);

    bool has(const std::string& path) const;
    double number(const std::string& path = {}) const;
    std::vector<double> numbers(const std::string& path = {}) const;
    std::string text(const std::string& path = {}) const;
    bool flag(const std::string& path = {}) const;
    /// A part of it: Record(...).at("fits/0").number("dimension").
    Record at(const std::string& path) const;
    /// Elements of a list, or members of an object.
    std::size_t size(const std::string& path = {}) const;
    std::string json() const;

private:
    struct Impl;
    explicit Record(std::shared_ptr<const Impl> impl) : impl_(std::move(impl)) {}
    std::shared_ptr<const Impl> impl_;
};

}  // namespace parallax
