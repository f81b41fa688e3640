// The errors that every call may throw: ConfigError (the request was wrong), DeviceError, BuildError, IoError,
// UnsupportedError, CancelledError; all are Error, whose what() is a complete message for a person.
#pragma once

#include "parallax/host/error.hpp"
