// SPDX-License-Identifier: Apache-2.0
// Constants of the timing model, one row each: name, Wormhole, Blackhole. Times are cycles of the chip's clock, rates
// bytes per cycle. C++ takes the names from here (constants.h), Python the values and their sources
// (timing/_constants.py), which reads the rows as calls.
//
// TW_SOURCE(kind, where): the source of the rows that follow.
//     MEASURED      published by others who measured it on a card
//     DOCUMENTED    in the vendor's texts or sources
//     DERIVED       follows from published figures by the arithmetic that is stated
//     ASSUMED       a guess of this project that nothing published contradicts
//     FITTED        chosen so that the calibration rows of docs/timing.md come out best
// A figure that is published for one chip only is used for the other too; its source names the chip.
#define TW_SOURCE(...)

TW_SOURCE(DOCUMENTED, "tt-metal noc_parameters.h: longest packet")
TW_CONSTANT(packet_bytes, 8192, 16384)

TW_SOURCE(DOCUMENTED, "tt-isa-documentation NoC: one flit before the data")
TW_CONSTANT(packet_head, 32, 64)

TW_SOURCE(MEASURED, "tt-metal data-movement latency tables: slope of large transfers")
TW_CONSTANT(port_rate, 28.5, 60)

TW_SOURCE(MEASURED,
    "one reader or writer at one bank: tt-isa-documentation DRAM tile; Blackhole: tt-metal data-movement latency "
    "tables, packets of 2 and 4 KiB (only those of 16 KiB reach 46)")
TW_CONSTANT(bank_read_rate, 22.3, 42.4)
TW_CONSTANT(bank_write_rate, 21.9, 41.3)

TW_SOURCE(MEASURED, "tt-metal issue 55898: reads a DRAM endpoint takes")
TW_CONSTANT(bank_read_interval, 6.8, 16.4)

TW_SOURCE(DERIVED, "tt-metal data-movement latency tables: all cores write 64 bytes; Wormhole: assumed as reads")
TW_CONSTANT(bank_write_interval, 6.8, 4.4)

TW_SOURCE(FITTED, "a bank that reads and writes at the same time, from rows of a Blackhole whose cores do both")
TW_CONSTANT(bank_mixed_efficiency, 0.8, 0.8)

TW_SOURCE(DERIVED,
    "tt-metal data-movement latency tables: 256 small transactions less one, a 255th of it; those of DRAM at one "
    "bank")
TW_CONSTANT(issue_dram_read, 21.3, 22.1)
TW_CONSTANT(issue_l1_read, 25, 34.9)
TW_CONSTANT(issue_l1_read_with_state, 17.4, 33.9)
TW_CONSTANT(issue_dram_write, 24.9, 26)
TW_CONSTANT(issue_l1_write, 22, 23)
TW_CONSTANT(issue_l1_write_with_state, 20, 20)

TW_SOURCE(DERIVED,
    "tt-metal data-movement latency tables: transactions of pages that go round all banks against those at one, "
    "reads and writes alike. Blackhole has 8 banks, so it finds the bank of a page by a shift; Wormhole has 12 and "
    "must divide. What one does not do is taken from the other")
TW_CONSTANT(page_shifted, 4.9, 4.9)
TW_CONSTANT(page_divided, 14.7, 14.7)

TW_SOURCE(ASSUMED, "no less than a read of DRAM takes its processor")
TW_CONSTANT(issue_own_l1_read, 21.3, 22.1)

TW_SOURCE(DERIVED,
    "tt-metal conv2d: rates its planner takes for reads of a core's own L1, 16 bytes at a time, which are of calls "
    "that set half of an address")
TW_CONSTANT(issue_own_l1_read_with_state, 18.4, 19.2)

TW_SOURCE(ASSUMED, "more packets of one call; atomics as a short write")
TW_CONSTANT(issue_packet, 12, 12)
TW_CONSTANT(issue_atomic, 30, 30)

TW_SOURCE(DERIVED, "tt-metal data-movement latency tables: one transaction less issue, service, barrier and hops")
TW_CONSTANT(dram_read_latency, 116, 159)
TW_CONSTANT(dram_write_latency, 140, 50)
TW_CONSTANT(l1_latency, 37, 41)

TW_SOURCE(DOCUMENTED, "tt-isa-documentation NoC: cycles of a router")
TW_CONSTANT(hop_latency, 9, 9)

TW_SOURCE(DOCUMENTED, "tt-npe device models: a link between two routers")
TW_CONSTANT(link_rate, 30, 60.9)

TW_SOURCE(DERIVED,
    "packets of several cores stand in each other's way: rates of all cores at all banks (tt-isa-documentation DRAM"
    " tile) against those of the links alone; Blackhole's reads: assumed little better than Wormhole's, which the "
    "rates of one reader for each bank (tt-metal pull request 47885) do not contradict; Blackhole's writes: fitted "
    "with rows that only write to DRAM")
TW_CONSTANT(link_read_efficiency, 0.85, 0.88)
TW_CONSTANT(link_write_efficiency, 0.64, 0.7)

TW_SOURCE(DERIVED, "tt-metal data-movement latency tables: multicast rows")
TW_CONSTANT(issue_multicast, 40, 40)
TW_CONSTANT(multicast_latency, 270, 350)
TW_CONSTANT(multicast_rate, 25, 45)
TW_CONSTANT(multicast_overhead, 120, 60)

TW_SOURCE(FITTED,
    "a call of a data-movement kernel that moves nothing: one figure for all, from rows of one tile at a time")
TW_CONSTANT(mover_wait, 28, 28)
TW_CONSTANT(mover_pop, 28, 28)
TW_CONSTANT(mover_reserve, 28, 28)
TW_CONSTANT(mover_push, 28, 28)
TW_CONSTANT(mover_barrier, 28, 28)
TW_CONSTANT(mover_semaphore, 28, 28)

TW_SOURCE(ASSUMED, "a turn of a loop that polls")
TW_CONSTANT(poll, 10, 10)

TW_SOURCE(FITTED, "work of a data-movement kernel between calls, per basic block above those every call has")
TW_CONSTANT(mover_block, 5, 2.5)
TW_CONSTANT(mover_free_blocks, 24, 24)

TW_SOURCE(DERIVED,
    "processors of one core start within 14 to 63 ns of each other: a column of the published profiler tables")
TW_CONSTANT(start_brisc, 0, 0)
TW_CONSTANT(start_ncrisc, 40, 40)
TW_CONSTANT(start_trisc, 40, 40)

TW_SOURCE(MEASURED, "first to last core that starts: the same column, launches on 2 to 20 cores, and on 64 and more")
TW_CONSTANT(start_core, 30, 10)
TW_CONSTANT(start_spread, 1900, 190)

TW_SOURCE(ASSUMED, "stream registers, not L1")
TW_CONSTANT(compute_wait, 8, 8)
TW_CONSTANT(compute_pop, 8, 8)
TW_CONSTANT(compute_reserve, 8, 8)
TW_CONSTANT(compute_push, 8, 8)
TW_CONSTANT(dst_acquire, 10, 10)
TW_CONSTANT(dst_commit, 10, 10)
TW_CONSTANT(dst_wait, 10, 10)
TW_CONSTANT(dst_release, 10, 10)

TW_SOURCE(DOCUMENTED, "tt-isa-documentation: matrix unit")
TW_CONSTANT(math_latency, 5, 5)

TW_SOURCE(MEASURED, "tt-lang Blackhole cost table; Wormhole has Blackhole's")
TW_CONSTANT(startup_unpack, 145, 145)
TW_CONSTANT(startup_math, 93, 93)
TW_CONSTANT(startup_pack, 206, 206)
TW_CONSTANT(sfpu_init, 55, 55)

TW_SOURCE(DERIVED,
    "half of what the cost table has for the call by itself: in a loop an init with its reconfiguration takes 70 "
    "cycles (tt-metal issue 56692); Wormhole has Blackhole's")
TW_CONSTANT(binary_init_math, 43, 43)
TW_CONSTANT(unpack_loop, 33, 33)
TW_CONSTANT(copy_init_unpack, 46, 46)
TW_CONSTANT(matmul_init_unpack, 35, 35)
TW_CONSTANT(math_loop, 41, 41)
TW_CONSTANT(pack_loop, 30, 30)
TW_CONSTANT(pack_mask, 30, 30)

TW_SOURCE(ASSUMED, "the rest of those 70 cycles")
TW_CONSTANT(pack_config, 20, 20)
TW_CONSTANT(reconfig_unpack, 17, 17)
TW_CONSTANT(reconfig_math, 10, 10)
TW_CONSTANT(reconfig_pack, 30, 30)

TW_SOURCE(MEASURED, "tt-lang Blackhole cost table; Wormhole: from the rates of whole pipelines published for it")
TW_CONSTANT(copy_unpack, 45, 41.8)
TW_CONSTANT(copy_unpack_block_float, 40, 41.5)
TW_CONSTANT(copy_unpack_fp32, 42.2, 42.2)
TW_CONSTANT(copy_unpack_to_dest, 120.8, 120.8)
TW_CONSTANT(binary_unpack, 64, 37.1)
TW_CONSTANT(binary_unpack_block_float, 45, 37.2)
TW_CONSTANT(binary_unpack_fp32, 128, 40.1)
TW_CONSTANT(reduce_unpack, 37, 37)
TW_CONSTANT(reduce_scalar_unpack, 51.3, 51.3)
TW_CONSTANT(copy_math, 25, 18.9)
TW_CONSTANT(add_math, 25, 18.9)
TW_CONSTANT(multiply_math_1, 25, 18.9)
TW_CONSTANT(multiply_math_2, 40, 36.4)
TW_CONSTANT(multiply_math_3, 64, 60.3)
TW_CONSTANT(multiply_math_4, 90, 84.1)
TW_CONSTANT(reduce_row_math_1, 15.2, 15.2)
TW_CONSTANT(reduce_row_math_2, 28.1, 28.1)
TW_CONSTANT(reduce_row_math_3, 40, 40)
TW_CONSTANT(reduce_row_math_4, 52, 52)
TW_CONSTANT(reduce_row_max_math, 85.5, 85.5)
TW_CONSTANT(reduce_column_math_1, 19.3, 19.3)
TW_CONSTANT(reduce_column_math_2, 37.9, 37.9)
TW_CONSTANT(reduce_column_math_3, 62, 62)
TW_CONSTANT(reduce_column_math_4, 85.9, 85.9)
TW_CONSTANT(reduce_column_max_math, 19.2, 19.2)
TW_CONSTANT(reduce_scalar_math_1, 44, 44)
TW_CONSTANT(reduce_scalar_math_2, 73, 73)
TW_CONSTANT(reduce_scalar_math_3, 102.8, 102.8)
TW_CONSTANT(reduce_scalar_math_4, 133, 133)
TW_CONSTANT(reduce_scalar_max_math, 43.9, 43.9)
TW_CONSTANT(pack_16, 40, 29.8)
TW_CONSTANT(pack_block_float, 35, 30)
TW_CONSTANT(pack_32, 70, 44)

TW_SOURCE(ASSUMED, "between copy and binary")
TW_CONSTANT(transpose_unpack, 80, 60)
TW_CONSTANT(reuse_unpack, 25, 25)
TW_CONSTANT(reuse_math, 20, 20)
TW_CONSTANT(transpose_dest_math, 60, 60)

TW_SOURCE(DERIVED,
    "16 cycles a phase (tt-isa-documentation) at the best utilisation published: 16.5 Wormhole, 16.2 Blackhole")
TW_CONSTANT(matmul_math_phase, 16.5, 16.2)
TW_CONSTANT(matmul_math_tile, 1, 1)
TW_CONSTANT(matmul_math_call, 12, 12)
TW_CONSTANT(matmul_fp32_factor, 1.07, 1.07)
TW_CONSTANT(matmul_unpack, 36, 20)
TW_CONSTANT(matmul_unpack_block_float, 20, 20)

TW_SOURCE(MEASURED, "tt-llk pull requests 130, 131, 916; tt-metal conv2d tilize table")
TW_CONSTANT(tilize_unpack, 52, 25)
TW_CONSTANT(tilize_pack, 61, 73)
TW_CONSTANT(untilize_unpack, 393, 512)
TW_CONSTANT(untilize_pack, 47, 25)
TW_CONSTANT(pack_untilize_unpack, 38, 28)
TW_CONSTANT(pack_untilize_pack_tile, 48, 64)

TW_SOURCE(FITTED,
    "tt-llk pull request 916; Blackhole: a row whose blocks are two tiles wide (the pull request has 192)")
TW_CONSTANT(pack_untilize_pack_block, 17, 394)

TW_SOURCE(ASSUMED, "where no cost of the function was published; reports say how much of a time rests on it")
TW_CONSTANT(sfpu_unary_default, 100, 100)
TW_CONSTANT(sfpu_binary_default, 200, 200)
TW_CONSTANT(sfpu_ternary_default, 300, 300)
TW_CONSTANT(sfpu_typecast_default, 150, 150)
TW_CONSTANT(sfpu_other_default, 300, 300)

TW_SOURCE(DERIVED,
    "tt-metal golden_bandwidth_summary: packets of 2 KiB a router sends in a second, from one sender to all chips of a "
    "line of a T3000, or to the neighbour on 4 p150")
TW_CONSTANT(fabric_packet, 259, 143.8)

TW_SOURCE(DERIVED,
    "tt-metal golden_bandwidth_summary: packets of 4 KiB from one sender to all chips of a line of a T3000, with their "
    "headers; Blackhole: 400 Gb/s, which no published row reaches")
TW_CONSTANT(fabric_link_rate, 11.87, 37)

TW_SOURCE(MEASURED, "tt-metal golden_latency_summary: half of a round trip of 16 bytes to the next chip of a line")
TW_CONSTANT(fabric_hop_latency, 801, 919)

#undef TW_SOURCE
#undef TW_CONSTANT
