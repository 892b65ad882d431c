// SPDX-License-Identifier: Apache-2.0
// Tile math of the engine. Tile indices count from a CB's read pointer (operands) or write pointer (results); `dst` is
// a DST slot. Operands are read in the format the unpacker was last set to, results written in the format the packer
// was last set to, whatever the CB itself holds: a forgotten reconfig has the effect it has on a card.
#pragma once

#include <cstdint>

namespace tw {

enum class TilePointer : uint32_t { Read, Write, OfThread };  // of the pack thread the write pointer, else the other
struct TileSize {
    uint32_t rows, columns;
};

enum class BinaryOp : uint32_t { Add = 0, Sub = 1, Mul = 2 };
enum class Broadcast : uint32_t { None = 0, Col = 1, Row = 2, Scalar = 3 };
enum class ReuseDest : uint32_t { None = 0, ToSrcA = 1, ToSrcB = 2 };
enum class Pool : uint32_t { Sum = 0, Avg = 1, Max = 2, Min = 3 };
enum class ReduceAxis : uint32_t { Row = 0, Col = 1, Scalar = 2 };  // Row: over W, result in column 0

}  // namespace tw

extern "C" {
// --- machine state ---
void tw_hw_startup(uint32_t cb_src_a, uint32_t cb_src_b, uint32_t cb_out);
void tw_reconfig_src_a(uint32_t cb);
void tw_reconfig_src_b(uint32_t cb);
void tw_reconfig_pack(uint32_t cb);
void tw_set_fp32_dest(uint32_t on);
void tw_pack_relu_config(uint32_t mode, uint32_t threshold_bits);
void tw_pack_l1_accumulate(uint32_t on);
void tw_pack_reduce_mask(uint32_t axis);  // pack only the results of a reduce along `axis`; the rest is written as 0
void tw_pack_reduce_mask_clear();

// --- DST hand-over ---
void tw_tile_regs_acquire();
void tw_tile_regs_commit();
void tw_tile_regs_wait();
void tw_tile_regs_release();

// --- into DST ---
void tw_copy_init(uint32_t cb, uint32_t transpose_faces, uint32_t transpose_within_face);
void tw_copy_tile(uint32_t cb, uint32_t tile, uint32_t dst);
// The first `count` elements as they lie there, -inf behind them; through the matrix unit unless they are 32 bits wide.
void tw_copy_elements(uint32_t cb, uint32_t tile, uint32_t dst, uint32_t count);
void tw_unary_broadcast(uint32_t broadcast, uint32_t cb, uint32_t tile, uint32_t dst);
// accumulate: add to what DST holds (binary "acc_to_dest"; for Mul this is always so on a card after clearing).
void tw_binary_tiles(
    uint32_t op,
    uint32_t broadcast,
    uint32_t cb_a,
    uint32_t cb_b,
    uint32_t tile_a,
    uint32_t tile_b,
    uint32_t dst,
    uint32_t accumulate);
// The DST tile becomes one operand, the CB's tile the other, the result replaces the DST tile. Reused as SrcA the CB is
// read in SrcB's format, reused as SrcB in SrcA's.
void tw_binary_reuse_dest(uint32_t op, uint32_t broadcast, uint32_t reuse, uint32_t cb, uint32_t tile, uint32_t dst);
// Accumulates into DST (sum) or keeps the larger (max), as the hardware's pooling does. Row sums and averages have the
// scaler in SrcA and the data in SrcB (formats accordingly), all others the data in SrcA.
void tw_reduce_tile(
    uint32_t pool, uint32_t axis, uint32_t cb, uint32_t cb_scaler, uint32_t tile, uint32_t tile_scaler, uint32_t dst);
// The sum of the first num_tiles tiles of DST, times the scaler twice, becomes the first element of DST tile 0.
void tw_reduce_dest(uint32_t num_tiles, uint32_t scaler_bits, const char* call);
// num_tiles tiles of the CB from `tile` on, each with the first element of DST tile `from` for every element, become DST
// tiles from `dst` on; a product is added to what they hold. clears: DST first, once that element is read.
void tw_binary_scalar_of_dest(
    uint32_t op, uint32_t cb, uint32_t tile, uint32_t num_tiles, uint32_t from, uint32_t dst, uint32_t clears);
// How many tiles of a row a block reduction takes: a card keeps it in the loop that the init call programs.
void tw_reduce_block_init(uint32_t num_tiles);
uint32_t tw_reduce_block_tiles();
// dst += a @ b (b transposed first when asked). in0 (a) goes to SrcB, in1 (b) to SrcA. The block form is one step of
// the inner dimension, as on a card: tile a[tile_a + r * kt_dim] times tile b[tile_b + c] is added to DST slot
// dst + r * ct_dim + c, for r < rt_dim and c < ct_dim; kt_dim is only the width in tiles of a's rows.
void tw_matmul_tiles(uint32_t cb_a, uint32_t cb_b, uint32_t tile_a, uint32_t tile_b, uint32_t dst, uint32_t transpose);
void tw_matmul_block(
    uint32_t cb_a,
    uint32_t cb_b,
    uint32_t tile_a,
    uint32_t tile_b,
    uint32_t dst,
    uint32_t transpose,
    uint32_t ct_dim,
    uint32_t rt_dim,
    uint32_t kt_dim);
void tw_transpose_tile(uint32_t cb, uint32_t tile, uint32_t dst);
// Without whole_words a 32-bit DST is moved as SrcB holds it, and loses what does not fit.
void tw_transpose_dest(uint32_t dst, uint32_t whole_words);

// The values of a tile counted from a pointer of a CB (TilePointer), row by row or as they lie in L1; for prints.
tw::TileSize tw_tile_values(uint32_t cb, uint32_t tile, uint32_t pointer, uint32_t as_stored, float* values);

// --- out of DST ---
// In order (out_of_order = 0): to the next page since the last push; else to page `tile` from the write pointer.
// As many tiles of DST as the last tw_pack_width said go to as many pages; in order, the next call begins a page on.
void tw_pack_tile(uint32_t dst, uint32_t cb, uint32_t tile, uint32_t out_of_order);
void tw_pack_width(uint32_t num_tiles);

// --- row-major <-> tiles (each goes through DST slot 0.. on a card and so rounds like it) ---
// 32 rows of num_tiles*32 elements at the front of cb_in become num_tiles tiles at the back of cb_out.
void tw_tilize_block(uint32_t cb_in, uint32_t num_tiles, uint32_t cb_out, uint32_t in_tile, uint32_t out_tile);
void tw_untilize_block(uint32_t cb_in, uint32_t num_tiles, uint32_t cb_out);
// block_rt rows of block_ct tiles; the row in L1 is full_ct tiles wide and this block starts at block_c.
void tw_pack_untilize_block(
    uint32_t cb_in, uint32_t block_ct, uint32_t block_rt, uint32_t cb_out, uint32_t full_ct, uint32_t block_c);
void tw_pack_untilize_dest(
    uint32_t cb_out,
    uint32_t block_ct,
    uint32_t block_rt,
    uint32_t full_ct,
    uint32_t block_c,
    uint32_t face_rows,
    uint32_t num_faces,
    uint32_t first_dst);
}

// --- asked for by the headers ---
namespace tw {

// Value of a flag argument: as set by the last init call of that family (below). On a card these flags are part of the
// programmed loop, not of the call: add_init(a, b, acc_to_dest) decides for every add_tiles after it.
inline constexpr uint32_t kAsInit = 2;

// Loops that an init call programs for the three sides. A loop stays until the next init call of any family; a call
// that runs another's loop computes something else on a card.
enum class UnpackLoop : uint32_t {
    None,
    Copy,
    Transpose,
    UnaryBroadcast,  // detail: Broadcast
    Binary,          // detail: Broadcast
    ReuseDest,       // detail: ReuseDest
    Matmul,
    Reduce,          // detail: reduce_detail
    Tilize,
    Untilize,
    TilizeReduce,
    Other,
};
enum class MathLoop : uint32_t {
    None,
    Copy,
    UnaryBroadcast,  // detail: Broadcast
    Binary,          // detail: binary_detail
    Matmul,
    Reduce,          // detail: reduce_detail
    TransposeDest,
    Other,
};
enum class PackLoop : uint32_t { Default, Untilize };
inline constexpr uint32_t kAnyDetail = ~0u;
inline constexpr uint32_t kNoCb = ~0u;

constexpr uint32_t binary_detail(uint32_t op, uint32_t broadcast, uint32_t reuse) {
    return op | broadcast << 4 | reuse << 8;
}
// A sum and an average run the same loop; the scaler makes the difference.
constexpr uint32_t reduce_detail(uint32_t pool, uint32_t axis) {
    return (pool == static_cast<uint32_t>(Pool::Avg) ? static_cast<uint32_t>(Pool::Sum) : pool) | axis << 4;
}
constexpr uint32_t reduce_detail(Pool pool, ReduceAxis axis) {
    return reduce_detail(static_cast<uint32_t>(pool), static_cast<uint32_t>(axis));
}

}  // namespace tw

extern "C" {
// Reconfigure only when `to` differs from `from` as on a card: source side when format or face geometry differ,
// pack side when the format differs. What the machine is really set to does not matter (that is how a wrong
// `from` goes wrong on a card); when they differ the effect is that of the one-argument call for `to`.
void tw_reconfig_src_a_if_different(uint32_t from_cb, uint32_t to_cb);
void tw_reconfig_src_b_if_different(uint32_t from_cb, uint32_t to_cb);
void tw_reconfig_pack_if_different(uint32_t from_cb, uint32_t to_cb);

// Loops programmed by an init call, for checked runs; `cb` is the operand whose tile shape the loop was made for.
// tw_copy_init, tw_binary_init and tw_matmul_init say the half they stand for by themselves.
void tw_unpack_loop(uint32_t loop, uint32_t detail, uint32_t cb);
void tw_math_loop(uint32_t loop, uint32_t detail);
void tw_pack_loop(uint32_t loop);
void tw_unpack_restored(uint32_t cb);  // the uninit of tilize and untilize: back to the tile shape of cb
void tw_unpack_shape_a(uint32_t cb);   // the unpacker steps through tiles of this CB's shape from here on
void tw_unpack_shape_b(uint32_t cb);

// Remembers `accumulate` for tw_binary_tiles(.., accumulate = kAsInit). Formats stay as they are. Mul always adds to
// what DST holds (DST is zero after a release), whatever accumulate says: mul_tiles passes 1. reuse != None: for
// tw_binary_reuse_dest, cb_b = cb_a. op, broadcast and CBs are what a checked run compares calls with.
void tw_binary_init(uint32_t op, uint32_t broadcast, uint32_t reuse, uint32_t cb_a, uint32_t cb_b, uint32_t accumulate);
// Broadcast::Row with row `row` (0..31) of the b tile instead of its row 0.
void tw_binary_tiles_broadcast_row(
    uint32_t op,
    uint32_t cb_a,
    uint32_t cb_b,
    uint32_t tile_a,
    uint32_t tile_b,
    uint32_t dst,
    uint32_t accumulate,
    uint32_t row);
// Remembers `transpose` for tw_matmul_tiles / tw_matmul_block(.., transpose = kAsInit), and puts the column stride of b
// back to 1. Formats stay as they are.
void tw_matmul_init(
    uint32_t cb_a, uint32_t cb_b, uint32_t transpose, uint32_t ct_dim, uint32_t rt_dim, uint32_t kt_dim);
// tw_matmul_block then reads b[tile_b + c * tiles] for column c, until the next tw_matmul_init or another call.
void tw_matmul_b_column_stride(uint32_t tiles);
// Number of fidelity phases of later matmuls (1 LoFi .. 4 HiFi4); 0: as set by the host.
void tw_matmul_fidelity(uint32_t phases);

// Row-major rows at the front of cb_a become `num_tiles` tiles in SrcA one after the other (each 32 x 32, the row in L1
// is num_tiles * 32 elements), the tile tile_b of cb_b is SrcB; every tw_reduce_tile_math that follows consumes one of
// them, in order. A queue that is not empty when the next block is unpacked is an error of the kernel.
void tw_unpack_tilize_a_b(uint32_t cb_a, uint32_t cb_b, uint32_t num_tiles, uint32_t tile_b);
// How blocks are unpacked from here on. fill: what elements of rows that do not exist hold (faces beyond the CB's
// geometry): 0 nothing, 1 -infinity, 2 zero. reloads_b: face 0 of the SrcB tile goes with every face.
void tw_unpack_tilize_a_b_init(uint32_t fill, uint32_t reloads_b);
// Like tw_reduce_tile on the next queued SrcA/SrcB pair; only the first num_faces faces take part.
void tw_reduce_tile_math(uint32_t pool, uint32_t axis, uint32_t dst, uint32_t num_faces);

// Transposes each 16x16 face in place and leaves the faces where they are (tw_transpose_dest swaps faces 1 and 2 too).
void tw_transpose_dest_within_faces(uint32_t dst);
void tw_clear_dest();  // zero the DST half (or all, with full sync) the maths side now works on
// Releases DST to the maths side without zeroing it (tw_tile_regs_release zeroes).
void tw_tile_regs_release_keep();
// tw_pack_untilize_dest with face_rows = 0 or num_faces = 0 means: those of cb_out's own tiles. This form writes only
// the first row_datums elements of each row of the (single) column of tiles, rows row_datums elements apart.
void tw_pack_untilize_dest_narrow(
    uint32_t cb_out, uint32_t block_ct, uint32_t block_rt, uint32_t full_ct, uint32_t row_datums, uint32_t first_dst);
// The first num_rows (of the last tw_pack_rows_init) rows of 16 data of a DST tile (in face order: f0 row 0, f0 row 1,
// ...), packed densely to page `tile` from cb's write pointer or to an L1 address given in bytes.
void tw_pack_rows_init(uint32_t num_rows);
void tw_pack_rows(uint32_t dst, uint32_t cb, uint32_t tile);
void tw_pack_rows_to_address(uint32_t dst, uint32_t l1_address);
// The one-call hand-over of older kernels: after tw_acquire_dst both maths and packer may use DST until tw_release_dst
// (which zeroes it, like tw_tile_regs_release); no commit or wait in between.
void tw_acquire_dst();
void tw_release_dst();

// A whole row of num_tiles tiles from page in_tile (from the read pointer) to num_tiles * 32 elements wide rows that
// start at page out_tile from the write pointer. Goes through DST in parts, so num_tiles has no limit (Blackhole).
void tw_fast_untilize_row(uint32_t cb_in, uint32_t num_tiles, uint32_t cb_out, uint32_t in_tile, uint32_t out_tile);

// Layer norm's subtraction of a mean kept in two parts (32-bit DST, full 32 x 32 tiles). The one tile at the front of
// cb_mean holds an anchor per row in column 0 and anchor - mean per row in column 16:
//     dst[r][c] = mean[r][16] + (a[r][c] - mean[r][0])
// Operands are taken as TF32 whatever src_a and src_b are set to, sums are fp32.
void tw_sub_columns_compensated(uint32_t cb_a, uint32_t cb_mean, uint32_t tile_a, uint32_t dst);
}
