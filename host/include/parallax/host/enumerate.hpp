// Devices as far as a selector can choose among them.
#pragma once

#include "parallax/host/selector.hpp"

namespace parallax::host {

/// What enumerate() gives, but that the drivers of backends that no rule can take are not touched, nor those of later rules where
/// a rule is met, unless `every` rule's devices are wanted. The native device is always there. Devices have the index -1 where
/// those that come before them in the whole list were not counted.
Inventory enumerate(const DeviceSelector&, bool every = false);

/// The device that needs no driver; none is touched.
std::shared_ptr<const Device> native_device();

/// Whether select() takes the native device, with a warning, because the rules take a gpu, an accelerator or a cpu of any kind,
/// and there is no OpenCL or CUDA device but simulators.
bool falls_back(const DeviceSelector&, const Inventory&);

}  // namespace parallax::host
