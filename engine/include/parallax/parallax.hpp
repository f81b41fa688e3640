// All of the C++ interface. docs/embedding.md shows how it is used.
#pragma once

#include "parallax/algorithms.hpp"
#include "parallax/array.hpp"
#include "parallax/device.hpp"
#include "parallax/engine.hpp"
#include "parallax/error.hpp"
#include "parallax/event.hpp"
#include "parallax/job.hpp"
#include "parallax/record.hpp"
#include "parallax/session.hpp"
