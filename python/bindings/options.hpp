// Options of engines and jobs from what Python gives, and devices as dictionaries.
#pragma once

#include "threads.hpp"

#include <cstdint>
#include <string>

namespace parallax::python {

EngineOptions engine_options(const std::string& device, const std::string& cache_folder, nb::object log,
                             std::uint64_t memory_limit, std::uint64_t plan_memory);
JobOptions job_options(const nb::dict& given);
nb::object device_dict(const DeviceInfo&);

}   // namespace parallax::python
