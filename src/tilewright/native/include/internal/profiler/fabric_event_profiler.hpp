// SPDX-License-Identifier: Apache-2.0
// The profiler's marks of packets; nothing is recorded.
#pragma once

#define RECORD_FABRIC_HEADER(packet_header)
