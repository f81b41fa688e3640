// A device's thread: several items in flight, and what happens where the device fails.
#include "series/conveyor_belt.hpp"

#include <new>

namespace parallax::engine::series {

void Conveyor::feed(Belt& belt) {
    std::deque<WorkPtr> flying;
    if (options_.cut_off) belt.resident.cancel_when(options_.cut_off);
    try {
        for (const auto& [input, array] : shared_) {
            Profiler profiler;
            belt.resident.keep(input, array, profiler);
        }
        for (;;) {
            while (flying.size() < static_cast<std::size_t>(belt.shape.in_flight)) {
                std::optional<WorkPtr> next = flying.empty() ? belt.decoded->pop() : belt.decoded->try_pop();
                if (!next) break;
                if (!submit(belt, flying, std::move(*next))) return;
            }
            if (flying.empty()) return;
            retire(belt, flying);
            if (belt.lost) return;
        }
    } catch (...) {   // whatever the caller's own functions throw, too
        break_off(std::current_exception());
        try {
            lose(belt, flying, nullptr);
        } catch (const std::bad_alloc&) {   // what it had is not handed on: the series has been broken off
            belt.lost = true;
        }
    }
}

/// False once the device is lost.
bool Conveyor::submit(Belt& belt, std::deque<WorkPtr>& flying, WorkPtr work) {
    for (;;) {
        try {
            belt.resident.submit(*work);
            flying.push_back(std::move(work));
            return true;
        } catch (const DeviceError& error) {
            if (!error.is_shortage()) {
                if (belts_.size() == 1) break_off(std::current_exception());
                lose(belt, flying, std::move(work));
                return false;
            }
            if (flying.empty()) {
                fail_item(work->number, error);
                return true;
            }
        } catch (const CancelledError&) {
            cut_off(belt, flying, std::move(work));
            return false;
        } catch (const std::exception& error) {
            fail_item(work->number, error);
            return true;
        }
        while (!flying.empty() && !belt.lost) retire(belt, flying);   // then there is more room
        belt.resident.trim();
        if (belt.lost) return false;
    }
}

void Conveyor::retire(Belt& belt, std::deque<WorkPtr>& flying) {
    WorkPtr work = std::move(flying.front());
    flying.pop_front();
    try {
        belt.resident.finish(*work);
    } catch (const DeviceError&) {
        if (belts_.size() == 1) break_off(std::current_exception());
        lose(belt, flying, std::move(work));
        return;
    } catch (const CancelledError&) {
        cut_off(belt, flying, std::move(work));
        return;
    } catch (const std::exception& error) {   // a record that cannot be made
        fail_item(work->number, error);
        return;
    }
    // What only the device needed goes back to the readers at once.
    if (!gathers_inputs_) work->inputs.clear();
    computed_->push(std::move(work));
}

/// What is in flight is left to --resume, and no more begins.
void Conveyor::cut_off(Belt& belt, std::deque<WorkPtr>& flying, WorkPtr work) {
    lose(belt, flying, std::move(work));
    const std::lock_guard lock(mutex_);
    stop_ = true;
    came_.notify_all();
}

/// A device that has failed is not used again: what it had goes to the others.
void Conveyor::lose(Belt& belt, std::deque<WorkPtr>& flying, WorkPtr work) {
    belt.lost = true;
    std::vector<std::size_t> back;
    if (work) back.push_back(work->number);
    for (const WorkPtr& other : flying) back.push_back(other->number);
    work.reset();
    flying.clear();
    while (std::optional<WorkPtr> other = belt.decoded->pop()) back.push_back((*other)->number);
    const std::lock_guard lock(mutex_);
    todo_.insert(todo_.begin(), back.begin(), back.end());
    came_.notify_all();
}

}  // namespace parallax::engine::series
