// SPDX-License-Identifier: Apache-2.0
#pragma once

// On a card the kernel waits until the watcher resumes it; here it continues.
#define PAUSE()
