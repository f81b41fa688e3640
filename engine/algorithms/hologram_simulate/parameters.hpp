// What an in-line hologram of beads can be asked for. Lengths in metres.
#pragma once

#include <array>

#include "core/parameters.hpp"

namespace parallax::engine::hologram_simulate {

enum class BeadKind { opaque, phase };
enum class PixelType { f32, u8, u16 };

struct SimulateParameters {
    int width = 1024, height = 1024;
    std::array<double, 2> pixel{1.4e-6, 1.4e-6};  ///< x, y
    double wavelength = 532e-9;                   ///< in vacuum
    double refractive_index = 1.0;                ///< of the medium
    double distance = 1e-3;                       ///< from the beads to the sensor
    int count = 1;
    double radius = 10e-6;
    BeadKind kind = BeadKind::opaque;
    double delta_n = 0.02;  ///< refractive index of a bead less that of the medium
    double noise = 0;       ///< standard deviation of the intensity, whose mean is about 1
    int seed = 1;
    PixelType type = PixelType::f32;
    double full_scale = 2;  ///< intensity of the largest grey level of u8 and u16
};

ParameterTable simulate_table();

}  // namespace parallax::engine::hologram_simulate
