// SPDX-License-Identifier: Apache-2.0
#include "launch_group.h"

#include "launches.h"

namespace card {

void LaunchGroup::add(Launches& card) {
    const std::lock_guard lock(mutex);
    cards_.push_back(&card);
}

void LaunchGroup::remove(Launches& card) {
    const std::lock_guard lock(mutex);
    std::erase(cards_, &card);
}

void LaunchGroup::run(bool names_operation) {
    const std::lock_guard lock(mutex);
    std::vector<LaunchedCore> cores;
    LaunchKey key;
    for (Launches* card : cards_) {
        card->take_armed(key, cores);
    }
    if (!cores.empty() && server_.launch(key.request(), cores, names_operation) == Server::Outcome::Waiting) {
        server_.launch_waiting(false);  // the host waits: no further program is launched that these could meet
    }
}

void LaunchGroup::finish_operation() {
    const std::lock_guard lock(mutex);
    run(true);
    posted.finish_operation();
    if (posted.has_failed()) {
        std::rethrow_exception(posted.take_failure());
    }
}

}  // namespace card
