#include "io/readers/hdf5_walk.hpp"

#include <algorithm>
#include <deque>
#include <unordered_set>

#include "io/readers/hdf5_parts.hpp"
#include "io/readers/serve.hpp"

namespace parallax::io::readers {
namespace {

// What the library says of links and objects has another type from 1.12 on, where an object has a token in place of its address.
#if H5_VERSION_GE(1, 12, 0)
using ObjectInfo = H5O_info2_t;
constexpr auto each_link = H5Literate2;
herr_t look_at(hid_t group, const char* name, ObjectInfo& info) {
    return H5Oget_info_by_name3(group, name, &info, H5O_INFO_BASIC, H5P_DEFAULT);
}
const auto& place_of(const ObjectInfo& info) { return info.token; }
template <class Info>
const auto& place_of(const Info& link) {
    return link.u.token;
}
#else
using ObjectInfo = H5O_info_t;
constexpr auto each_link = H5Literate;
herr_t look_at(hid_t group, const char* name, ObjectInfo& info) {
    return H5Oget_info_by_name2(group, name, &info, H5O_INFO_BASIC, H5P_DEFAULT);
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

/// Nothing of one that is a scale of axes.
void add_dataset(hid_t group, const char* name, const std::string& path, std::vector<Found>& all) {
    const Handle dataset = open_dataset(group, name);
    if (!dataset.good()) {
        all.push_back({path, {}, false, {}, last_words()});
        return;
    }
    if (text_at(dataset, "CLASS") == "DIMENSION_SCALE") return;
    const Type type = type_of_dataset(dataset);
    const bool elsewhere = is_elsewhere(dataset), numbers = type.name != nullptr && (elsewhere || !is_null(dataset));
    all.push_back({path, elsewhere ? "in other files" : in_words(sizes_of(dataset)), numbers,
                   numbers     ? type.name
                   : type.name ? "no elements"
                               : type.why});
}

}   // namespace

Listing list_datasets(hid_t file) {
    struct Group {
        Handle opened;
        std::string path;
    };
    const auto damaged = [] { throw Problem{"its objects cannot be listed: " + last_words(), again}; };
    Listing listing;
    Walk walk;
    ObjectInfo info{};
    std::deque<Group> groups;   // one level after the other: a group within many others costs no more than one within few
    groups.push_back({Handle(H5Gopen2(file, "/", H5P_DEFAULT), H5Gclose), "/"});
    if (!groups.front().opened.good() || look_at(file, "/", info) < 0) damaged();
    walk.seen.insert(key_of(info));
    for (; !groups.empty(); groups.pop_front()) {
        const Group& group = groups.front();
        walk.names.clear();
        hsize_t at = 0;
        if (walk.whole && each_link(group.opened, H5_INDEX_NAME, H5_ITER_INC, &at, note, &walk) < 0) damaged();
        for (const std::string& name : walk.names) {
            const std::string path = group.path + name;
            if (look_at(group.opened, name.c_str(), info) < 0) damaged();
            if (path.find("/#") != std::string::npos) continue;   // what MATLAB keeps for itself
            if (info.type == H5O_TYPE_DATASET) add_dataset(group.opened, name.c_str(), path, listing.all);
            if (info.type != H5O_TYPE_GROUP) continue;
            groups.push_back({Handle(H5Gopen2(group.opened, name.c_str(), H5P_DEFAULT), H5Gclose), path + "/"});
            if (!groups.back().opened.good()) damaged();
        }
    }
    std::sort(listing.all.begin(), listing.all.end(), [](const Found& a, const Found& b) { return a.path < b.path; });
    listing.whole = walk.whole;
    return listing;
}

}   // namespace parallax::io::readers
