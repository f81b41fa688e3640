// NVIDIA's management library, opened at run time: clocks, temperature, power, energy of a card.
#pragma once

#include "parallax/host/device.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace parallax::engine::compare {

/// A card that NVML knows. Everything else is empty where the card or its driver does not tell.
class NvmlCard {
public:
    static std::optional<NvmlCard> find(const host::DeviceInfo&);

    std::optional<double> sm_mhz() const;
    std::optional<double> memory_mhz() const;
    std::optional<double> celsius() const;
    std::optional<double> watts() const;
    /// Of its counter since the driver was loaded.
    std::optional<double> joules() const;
    /// Why its clocks are lower than they could be: "power", "heat", "hardware"; nothing where they are not, or it idles.
    std::vector<std::string> throttled() const;

private:
    explicit NvmlCard(void* handle) : handle_(handle) {}
    void* handle_ = nullptr;
};

}  // namespace parallax::engine::compare
