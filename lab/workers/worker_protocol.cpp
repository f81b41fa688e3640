#include "workers/worker_protocol.hpp"

#include "support/child.hpp"
#include "parallax/host/error.hpp"
#include "parallax/host/enumerate.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <string>

namespace parallax::engine::compare {

namespace {

Json answer_error(const std::exception& error) {
    const auto* const known = dynamic_cast<const Error*>(&error);
    Json json{{"kind", known ? known->kind() : "unknown"}, {"message", error.what()}};
    if (const auto* const unsupported = dynamic_cast<const UnsupportedError*>(&error);
        unsupported && unsupported->reasons.size() == 1)
        json["message"] = unsupported->reasons.front();
    return {{"error", std::move(json)}};
}

}  // namespace

std::shared_ptr<const host::Device> find_device(const Json& wanted) {
    std::vector<std::string> there;
    for (const auto& device : host::enumerate(host::DeviceSelector::parse({{"backend", wanted.at("backend")}})).devices) {
        const host::DeviceInfo& info = device->info();
        const bool same = wanted.at("name") == info.name && to_string(info.backend) == wanted.at("backend").get<std::string>() &&
                          wanted.at("platform") == info.platform && wanted.at("uuid") == info.uuid &&
                          wanted.at("pci") == info.pci;
        if (same) return device;
        there.push_back(fmt::format("there is {} ({})", info.name, info.platform));
    }
    throw UnsupportedError("the worker does not find the device that it was started for", there);
}

int serve_requests(const std::function<Json(const Json&)>& answer_to) {
    host::follow_parent();
    const int output = host::keep_standard_output();
    for (std::string line; std::getline(std::cin, line);) {
        Json answer;
        bool fatal = false;
        try {
            answer = answer_to(Json::parse(line));
        } catch (const std::exception& error) {
            answer = answer_error(error);
            fatal = dynamic_cast<const DeviceError*>(&error) != nullptr;
        }
        if (!host::write_to(output, answer.dump(-1, ' ', false, Json::error_handler_t::replace))) return 1;
        if (fatal) std::_Exit(3);   // a context that has failed is never used again, and its driver may not let go of it
    }
    std::fflush(nullptr);
    std::_Exit(0);   // some drivers fall over on the way out
}

}  // namespace parallax::engine::compare
