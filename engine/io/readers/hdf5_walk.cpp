#include "io/readers/hdf5_walk.hpp"

#include <cstring>
#include <unordered_set>

#include "io/readers/serve.hpp"

namespace parallax::io::readers {
namespace {

// What the library says of links and objects has another type from 1.12 on, where an object has a token in place of its address.
#if H5_VERSION_GE(1, 12, 0)
using ObjectInfo = H5O_info2_t;
constexpr auto each_link = H5Literate2;
herr_t ask(hid_t group, const char* name, ObjectInfo& info) {
    return H5Oget_info_by_name3(group, name, &info, H5O_INFO_BASIC, H5P_DEFAULT);
}
herr_t ask(hid_t object, ObjectInfo& info) { return H5Oget_info3(object, &info, H5O_INFO_BASIC); }
hid_t open_place(hid_t file, const std::string& place) {
    H5O_token_t token{};
    std::memcpy(&token, place.data(), sizeof token);
    return H5Oopen_by_token(file, token);
}
const auto& place_of(const ObjectInfo& info) { return info.token; }
template <class Info>
const auto& place_of(const Info& link) {
    return link.u.token;
}
#else
using ObjectInfo = H5O_info_t;
constexpr auto each_link = H5Literate;
herr_t ask(hid_t group, const char* name, ObjectInfo& info) {
    return H5Oget_info_by_name2(group, name, &info, H5O_INFO_BASIC, H5P_DEFAULT);
}
herr_t ask(hid_t object, ObjectInfo& info) { return H5Oget_info2(object, &info, H5O_INFO_BASIC); }
hid_t open_place(hid_t file, const std::string& place) {
    haddr_t address = 0;
    std::memcpy(&address, place.data(), sizeof address);
    return H5Oopen_by_addr(file, address);
}
const auto& place_of(const ObjectInfo& info) { return info.addr; }
template <class Info>
const auto& place_of(const Info& link) {
    return link.u.address;
}
#endif

/// The bytes of an address or a token.
template <class Info>
std::string key_of(const Info& info) {
    const auto& place = place_of(info);
    return {reinterpret_cast<const char*>(&place), sizeof place};
}

struct Walk {
    std::unordered_set<std::string> seen;   ///< objects, by where they are
    std::vector<std::string> names;         ///< of a group's links to such as were not seen before
    bool whole = true;
};

template <class Info>
herr_t note(hid_t, const char* name, const Info* link, void* to) {
    Walk& walk = *static_cast<Walk*>(to);
    if (link->type != H5L_TYPE_HARD || !walk.seen.insert(key_of(*link)).second) return 0;
    walk.whole = walk.seen.size() <= most_objects;
    if (!walk.whole) return 1;
    walk.names.emplace_back(name);
    return 0;
}

/// As the library packs it, with all members.
std::uint64_t bytes_of_type(hid_t dataset) {
    const Handle type(H5Dget_type(dataset), H5Tclose);
    std::size_t bytes = 0;
    return H5Tencode(type, nullptr, &bytes) < 0 ? 0 : bytes;
}

/// Without the middle of one that is very long, cut between letters of UTF-8.
std::string shortened(const std::string& path) {
    constexpr std::size_t most = 300, part = 140;
    if (path.size() <= most) return path;
    const auto between = [&](std::size_t at) {
        while (at < path.size() && (static_cast<unsigned char>(path[at]) & 0xc0) == 0x80) ++at;
        return at;
    };
    return path.substr(0, between(part)) + " ... " + path.substr(between(path.size() - part));
}

}   // namespace

Outline::Outline(hid_t file) : file_(file) {
    const auto damaged = [] { throw Problem{"its objects cannot be listed: " + last_words(), again}; };
    Walk walk;
    ObjectInfo info{};
    if (ask(file, "/", info) < 0) damaged();
    walk.seen.insert(key_of(info));
    objects_.push_back({0, "", key_of(info), true});
    // One level after the other: a group within many others costs no more than one within few.
    for (std::size_t at = 0; at < objects_.size(); ++at) {
        if (!objects_[at].is_group) continue;
        const Handle group = open(at);
        if (!group.good()) damaged();
        walk.names.clear();
        hsize_t begin = 0;
        if (walk.whole && each_link(group, H5_INDEX_NAME, H5_ITER_INC, &begin, note, &walk) < 0) damaged();
        objects_[at].first = objects_.size();
        for (std::string& name : walk.names) {
            if (ask(group, name.c_str(), info) < 0) damaged();
            if (name.starts_with('#')) continue;   // what MATLAB keeps for itself
            const bool is_group = info.type == H5O_TYPE_GROUP;
            if (is_group || info.type == H5O_TYPE_DATASET) objects_.push_back({at, std::move(name), key_of(info), is_group});
        }
        objects_[at].end = objects_.size();
    }
    whole_ = walk.whole;
    put_in_order();
}

void Outline::put_in_order() {
    std::vector<std::size_t> left{0};
    while (!left.empty()) {
        const std::size_t at = left.back();
        left.pop_back();
        if (!objects_[at].is_group) datasets_.push_back(at);
        for (std::size_t inside = objects_[at].end; inside-- > objects_[at].first;) left.push_back(inside);
    }
}

std::string Outline::path_of(std::size_t index) const {
    std::vector<const std::string*> names;
    for (std::size_t at = index; at != 0; at = objects_[at].parent) names.push_back(&objects_[at].name);
    std::string path;
    for (std::size_t i = names.size(); i-- > 0;) path += "/" + *names[i];
    return shortened(path);
}

bool Outline::is_at(std::size_t index, std::string_view path) const {
    for (std::size_t at = index; at != 0; at = objects_[at].parent) {
        const std::string& name = objects_[at].name;
        if (!path.ends_with(name)) return false;
        path.remove_suffix(name.size());
        if (!path.ends_with('/')) return false;
        path.remove_suffix(1);
    }
    return path.empty();
}

bool is_one_object(hid_t a, hid_t b) {
    ObjectInfo of_a{}, of_b{};
    return ask(a, of_a) >= 0 && ask(b, of_b) >= 0 && key_of(of_a) == key_of(of_b);
}

bool Outline::is_same(std::size_t index, hid_t opened) const {
    ObjectInfo info{};
    return ask(opened, info) >= 0 && key_of(info) == objects_[index].place;
}

Handle Outline::open(std::size_t index) const { return {open_place(file_, objects_[index].place), H5Oclose}; }

Found Outline::look_at(std::size_t index) const {
    const Handle dataset = open(index);
    if (!dataset.good()) return {.closed = last_words()};
    const std::uint64_t bytes = bytes_of_type(dataset);
    if (text_at(dataset, "CLASS") == "DIMENSION_SCALE") return {.scale = true, .bytes_of_type = bytes};
    const Type type = type_of_dataset(dataset);
    const bool elsewhere = is_elsewhere(dataset), numbers = type.name != nullptr && (elsewhere || !is_null(dataset));
    return {.sizes = elsewhere ? "in other files" : in_words(sizes_of(dataset)),
            .numbers = numbers,
            .what = numbers     ? type.name
                    : type.name ? "no elements"
                                : type.why,
            .bytes_of_type = bytes};
}

}   // namespace parallax::io::readers
