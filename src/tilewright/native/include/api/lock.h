// SPDX-License-Identifier: Apache-2.0
// Calls a function when it goes out of scope.
#pragma once

template <typename ReleaseFunc>
class Lock {
public:
    Lock(ReleaseFunc release) : release_(release) {}
    ~Lock() { release_(); }
    Lock(const Lock&) = delete;
    Lock& operator=(const Lock&) = delete;

private:
    ReleaseFunc release_;
};
