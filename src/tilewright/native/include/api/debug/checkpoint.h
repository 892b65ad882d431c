// SPDX-License-Identifier: Apache-2.0
#pragma once

#define DEBUG_CHECKPOINT(name)
#define DEBUG_CHECKPOINT_EX(name, num_cbs, words_per_cb, dump_dest)
#define DEBUG_CHECKPOINT_GLOBAL(name, sem_id, barrier_coord_x, barrier_coord_y, num_cores)
