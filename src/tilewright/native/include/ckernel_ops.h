// SPDX-License-Identifier: Apache-2.0
// Raw Tensix instructions, for kernels that issue them.
//
// A call is done when it returns, so an instruction that waits for a unit has nothing to do here; semaphores count.
// All others act on registers that are not modelled.
#pragma once

#include <cstdint>

#include "../abi/vector_program.h"
#include "tw/engine.h"

// The row of DST that the vector unit counts from, and which half of the address modifiers its instructions mean.
#define DEST_TARGET_REG_CFG_MATH_Offset_ADDR32 1
#define ADDR_MOD_SET_Base_ADDR32 2

namespace tw {

inline void write_thread_register(uint32_t address, uint32_t value) {
    if (address == ADDR_MOD_SET_Base_ADDR32) {
        tw_vector_address_base(value);
    } else if (address == DEST_TARGET_REG_CFG_MATH_Offset_ADDR32) {
        tw_vector_set_base(value);
    } else {
        tw_not_modelled("TT_SETC16");
    }
}

// Vector-unit instructions work on its registers; matrix-unit, packer and unpacker ones on registers that are not
// modelled.
template <typename... Operands>
inline void vector_instruction(tw::VectorInstruction instruction, Operands... operands) {
    const std::uint32_t given[6] = {static_cast<std::uint32_t>(operands)...};
    tw_vector_instruction(
        static_cast<std::uint32_t>(instruction), given[0], given[1], given[2], given[3], given[4], given[5]);
}

// Instructions name semaphores as bits.
inline void for_semaphores(uint32_t semaphores, ThreadSemaphoreCall call) {
    for (; semaphores != 0; semaphores &= semaphores - 1) {
        tw_thread_semaphore(static_cast<uint32_t>(call), static_cast<uint32_t>(__builtin_ctz(semaphores)));
    }
}
inline void init_semaphores(uint32_t semaphores, uint32_t value, uint32_t most) {
    for (; semaphores != 0; semaphores &= semaphores - 1) {
        tw_thread_semaphore_init(static_cast<uint32_t>(__builtin_ctz(semaphores)), value, most);
    }
}
// The instruction stalls while a semaphore is zero (1) or at its maximum (2).
constexpr ThreadSemaphoreCall semaphore_wait(uint32_t stalls_on) {
    return stalls_on == 2 ? ThreadSemaphoreCall::WaitBelowMost : ThreadSemaphoreCall::WaitNonZero;
}

}  // namespace tw

#define TTI_SFPNOP ::tw::vector_instruction(::tw::VectorInstruction::SFPNOP)
#define TT_SFPLOAD(...) ::tw::vector_instruction(::tw::VectorInstruction::SFPLOAD, __VA_ARGS__)
#define TTI_SFPLOAD(...) ::tw::vector_instruction(::tw::VectorInstruction::SFPLOAD, __VA_ARGS__)
#define TT_SFPLOADI(...) ::tw::vector_instruction(::tw::VectorInstruction::SFPLOADI, __VA_ARGS__)
#define TTI_SFPLOADI(...) ::tw::vector_instruction(::tw::VectorInstruction::SFPLOADI, __VA_ARGS__)
#define TT_SFPSTORE(...) ::tw::vector_instruction(::tw::VectorInstruction::SFPSTORE, __VA_ARGS__)
#define TTI_SFPSTORE(...) ::tw::vector_instruction(::tw::VectorInstruction::SFPSTORE, __VA_ARGS__)
#define TT_SFPMAD(...) ::tw::vector_instruction(::tw::VectorInstruction::SFPMAD, __VA_ARGS__)
#define TTI_SFPMAD(...) ::tw::vector_instruction(::tw::VectorInstruction::SFPMAD, __VA_ARGS__)
#define TT_SFPADD(...) ::tw::vector_instruction(::tw::VectorInstruction::SFPADD, __VA_ARGS__)
#define TTI_SFPADD(...) ::tw::vector_instruction(::tw::VectorInstruction::SFPADD, __VA_ARGS__)
#define TT_SFPMUL(...) ::tw::vector_instruction(::tw::VectorInstruction::SFPMUL, __VA_ARGS__)
#define TTI_SFPMUL(...) ::tw::vector_instruction(::tw::VectorInstruction::SFPMUL, __VA_ARGS__)
#define TT_SFPADDI(...) ::tw::vector_instruction(::tw::VectorInstruction::SFPADDI, __VA_ARGS__)
#define TTI_SFPADDI(...) ::tw::vector_instruction(::tw::VectorInstruction::SFPADDI, __VA_ARGS__)
#define TT_SFPMULI(...) ::tw::vector_instruction(::tw::VectorInstruction::SFPMULI, __VA_ARGS__)
#define TTI_SFPMULI(...) ::tw::vector_instruction(::tw::VectorInstruction::SFPMULI, __VA_ARGS__)
#define TT_SFPDIVP2(...) ::tw::vector_instruction(::tw::VectorInstruction::SFPDIVP2, __VA_ARGS__)
#define TTI_SFPDIVP2(...) ::tw::vector_instruction(::tw::VectorInstruction::SFPDIVP2, __VA_ARGS__)
#define TT_SFPIADD(...) ::tw::vector_instruction(::tw::VectorInstruction::SFPIADD, __VA_ARGS__)
#define TTI_SFPIADD(...) ::tw::vector_instruction(::tw::VectorInstruction::SFPIADD, __VA_ARGS__)
#define TT_SFPMOV(...) ::tw::vector_instruction(::tw::VectorInstruction::SFPMOV, __VA_ARGS__)
#define TTI_SFPMOV(...) ::tw::vector_instruction(::tw::VectorInstruction::SFPMOV, __VA_ARGS__)
#define TT_SFPABS(...) ::tw::vector_instruction(::tw::VectorInstruction::SFPABS, __VA_ARGS__)
#define TTI_SFPABS(...) ::tw::vector_instruction(::tw::VectorInstruction::SFPABS, __VA_ARGS__)
#define TT_SFPAND(...) ::tw::vector_instruction(::tw::VectorInstruction::SFPAND, __VA_ARGS__)
#define TTI_SFPAND(...) ::tw::vector_instruction(::tw::VectorInstruction::SFPAND, __VA_ARGS__)
#define TT_SFPOR(...) ::tw::vector_instruction(::tw::VectorInstruction::SFPOR, __VA_ARGS__)
#define TTI_SFPOR(...) ::tw::vector_instruction(::tw::VectorInstruction::SFPOR, __VA_ARGS__)
#define TT_SFPXOR(...) ::tw::vector_instruction(::tw::VectorInstruction::SFPXOR, __VA_ARGS__)
#define TTI_SFPXOR(...) ::tw::vector_instruction(::tw::VectorInstruction::SFPXOR, __VA_ARGS__)
#define TT_SFPNOT(...) ::tw::vector_instruction(::tw::VectorInstruction::SFPNOT, __VA_ARGS__)
#define TTI_SFPNOT(...) ::tw::vector_instruction(::tw::VectorInstruction::SFPNOT, __VA_ARGS__)
#define TT_SFPLZ(...) ::tw::vector_instruction(::tw::VectorInstruction::SFPLZ, __VA_ARGS__)
#define TTI_SFPLZ(...) ::tw::vector_instruction(::tw::VectorInstruction::SFPLZ, __VA_ARGS__)
#define TT_SFPSHFT(...) ::tw::vector_instruction(::tw::VectorInstruction::SFPSHFT, __VA_ARGS__)
#define TTI_SFPSHFT(...) ::tw::vector_instruction(::tw::VectorInstruction::SFPSHFT, __VA_ARGS__)
#define TT_SFPSHFT2(...) ::tw::vector_instruction(::tw::VectorInstruction::SFPSHFT2, __VA_ARGS__)
#define TTI_SFPSHFT2(...) ::tw::vector_instruction(::tw::VectorInstruction::SFPSHFT2, __VA_ARGS__)
#define TT_SFPEXEXP(...) ::tw::vector_instruction(::tw::VectorInstruction::SFPEXEXP, __VA_ARGS__)
#define TTI_SFPEXEXP(...) ::tw::vector_instruction(::tw::VectorInstruction::SFPEXEXP, __VA_ARGS__)
#define TT_SFPEXMAN(...) ::tw::vector_instruction(::tw::VectorInstruction::SFPEXMAN, __VA_ARGS__)
#define TTI_SFPEXMAN(...) ::tw::vector_instruction(::tw::VectorInstruction::SFPEXMAN, __VA_ARGS__)
#define TT_SFPSETEXP(...) ::tw::vector_instruction(::tw::VectorInstruction::SFPSETEXP, __VA_ARGS__)
#define TTI_SFPSETEXP(...) ::tw::vector_instruction(::tw::VectorInstruction::SFPSETEXP, __VA_ARGS__)
#define TT_SFPSETMAN(...) ::tw::vector_instruction(::tw::VectorInstruction::SFPSETMAN, __VA_ARGS__)
#define TTI_SFPSETMAN(...) ::tw::vector_instruction(::tw::VectorInstruction::SFPSETMAN, __VA_ARGS__)
#define TT_SFPSETSGN(...) ::tw::vector_instruction(::tw::VectorInstruction::SFPSETSGN, __VA_ARGS__)
#define TTI_SFPSETSGN(...) ::tw::vector_instruction(::tw::VectorInstruction::SFPSETSGN, __VA_ARGS__)
#define TT_SFPCAST(...) ::tw::vector_instruction(::tw::VectorInstruction::SFPCAST, __VA_ARGS__)
#define TTI_SFPCAST(...) ::tw::vector_instruction(::tw::VectorInstruction::SFPCAST, __VA_ARGS__)
#define TT_SFP_STOCH_RND(...) ::tw::vector_instruction(::tw::VectorInstruction::SFP_STOCH_RND, __VA_ARGS__)
#define TTI_SFP_STOCH_RND(...) ::tw::vector_instruction(::tw::VectorInstruction::SFP_STOCH_RND, __VA_ARGS__)
#define TT_SFPSWAP(...) ::tw::vector_instruction(::tw::VectorInstruction::SFPSWAP, __VA_ARGS__)
#define TTI_SFPSWAP(...) ::tw::vector_instruction(::tw::VectorInstruction::SFPSWAP, __VA_ARGS__)
#define TT_SFPTRANSP(...) ::tw::vector_instruction(::tw::VectorInstruction::SFPTRANSP, __VA_ARGS__)
#define TTI_SFPTRANSP(...) ::tw::vector_instruction(::tw::VectorInstruction::SFPTRANSP, __VA_ARGS__)
#define TT_SFPSETCC(...) ::tw::vector_instruction(::tw::VectorInstruction::SFPSETCC, __VA_ARGS__)
#define TTI_SFPSETCC(...) ::tw::vector_instruction(::tw::VectorInstruction::SFPSETCC, __VA_ARGS__)
#define TT_SFPENCC(...) ::tw::vector_instruction(::tw::VectorInstruction::SFPENCC, __VA_ARGS__)
#define TTI_SFPENCC(...) ::tw::vector_instruction(::tw::VectorInstruction::SFPENCC, __VA_ARGS__)
#define TT_SFPCOMPC(...) ::tw::vector_instruction(::tw::VectorInstruction::SFPCOMPC, __VA_ARGS__)
#define TTI_SFPCOMPC(...) ::tw::vector_instruction(::tw::VectorInstruction::SFPCOMPC, __VA_ARGS__)
#define TT_SFPPUSHC(...) ::tw::vector_instruction(::tw::VectorInstruction::SFPPUSHC, __VA_ARGS__)
#define TTI_SFPPUSHC(...) ::tw::vector_instruction(::tw::VectorInstruction::SFPPUSHC, __VA_ARGS__)
#define TT_SFPPOPC(...) ::tw::vector_instruction(::tw::VectorInstruction::SFPPOPC, __VA_ARGS__)
#define TTI_SFPPOPC(...) ::tw::vector_instruction(::tw::VectorInstruction::SFPPOPC, __VA_ARGS__)
#define TT_SFPCONFIG(...) ::tw::vector_instruction(::tw::VectorInstruction::SFPCONFIG, __VA_ARGS__)
#define TTI_SFPCONFIG(...) ::tw::vector_instruction(::tw::VectorInstruction::SFPCONFIG, __VA_ARGS__)
#define TT_SETRWC(...) ::tw::vector_instruction(::tw::VectorInstruction::SETRWC, __VA_ARGS__)
#define TTI_SETRWC(...) ::tw::vector_instruction(::tw::VectorInstruction::SETRWC, __VA_ARGS__)
#define TT_INCRWC(...) ::tw::vector_instruction(::tw::VectorInstruction::INCRWC, __VA_ARGS__)
#define TTI_INCRWC(...) ::tw::vector_instruction(::tw::VectorInstruction::INCRWC, __VA_ARGS__)

#define TT_SETC16(address, value) tw::write_thread_register(address, value)
#define TTI_SETC16(address, value) tw::write_thread_register(address, value)

#define TTI_NOP ((void)0)
#define TTI_DMANOP ((void)0)
#define TT_STALLWAIT(...) ((void)0)
#define TTI_STALLWAIT(...) ((void)0)
#define TT_SEMWAIT(stall, semaphores, wait) tw::for_semaphores(semaphores, tw::semaphore_wait(wait))
#define TTI_SEMWAIT(stall, semaphores, wait) tw::for_semaphores(semaphores, tw::semaphore_wait(wait))
#define TT_SEMPOST(semaphores) tw::for_semaphores(semaphores, tw::ThreadSemaphoreCall::Post)
#define TTI_SEMPOST(semaphores) tw::for_semaphores(semaphores, tw::ThreadSemaphoreCall::Post)
#define TT_SEMGET(semaphores) tw::for_semaphores(semaphores, tw::ThreadSemaphoreCall::Get)
#define TTI_SEMGET(semaphores) tw::for_semaphores(semaphores, tw::ThreadSemaphoreCall::Get)
#define TT_SEMINIT(most, value, semaphores) tw::init_semaphores(semaphores, value, most)
#define TTI_SEMINIT(most, value, semaphores) tw::init_semaphores(semaphores, value, most)
#define TT_ATGETM(...) ((void)0)
#define TTI_ATGETM(...) ((void)0)
#define TT_ATRELM(...) ((void)0)
#define TTI_ATRELM(...) ((void)0)

#define TT_SFPLUT(...) tw_not_modelled("TT_SFPLUT")
#define TTI_SFPLUT(...) tw_not_modelled("TTI_SFPLUT")
#define TT_SFPLUTFP32(...) tw_not_modelled("TT_SFPLUTFP32")
#define TTI_SFPLUTFP32(...) tw_not_modelled("TTI_SFPLUTFP32")
#define TT_ZEROACC(...) tw_not_modelled("TT_ZEROACC")
#define TTI_ZEROACC(...) tw_not_modelled("TTI_ZEROACC")
#define TT_ZEROSRC(...) tw_not_modelled("TT_ZEROSRC")
#define TTI_ZEROSRC(...) tw_not_modelled("TTI_ZEROSRC")
#define TT_MOP(...) tw_not_modelled("TT_MOP")
#define TTI_MOP(...) tw_not_modelled("TTI_MOP")
#define TT_REPLAY(...) tw_not_modelled("TT_REPLAY")
#define TTI_REPLAY(...) tw_not_modelled("TTI_REPLAY")
#define TT_PACR(...) tw_not_modelled("TT_PACR")
#define TTI_PACR(...) tw_not_modelled("TTI_PACR")
#define TT_UNPACR(...) tw_not_modelled("TT_UNPACR")
#define TTI_UNPACR(...) tw_not_modelled("TTI_UNPACR")
#define TT_UNPACR_NOP(...) tw_not_modelled("TT_UNPACR_NOP")
#define TTI_UNPACR_NOP(...) tw_not_modelled("TTI_UNPACR_NOP")
#define TT_SETADCXX(...) tw_not_modelled("TT_SETADCXX")
#define TTI_SETADCXX(...) tw_not_modelled("TTI_SETADCXX")
#define TT_SETADCXY(...) tw_not_modelled("TT_SETADCXY")
#define TTI_SETADCXY(...) tw_not_modelled("TTI_SETADCXY")
#define TT_SETADCZW(...) tw_not_modelled("TT_SETADCZW")
#define TTI_SETADCZW(...) tw_not_modelled("TTI_SETADCZW")
#define TT_SETDMAREG(...) tw_not_modelled("TT_SETDMAREG")
#define TTI_SETDMAREG(...) tw_not_modelled("TTI_SETDMAREG")
#define TT_WRCFG(...) tw_not_modelled("TT_WRCFG")
#define TTI_WRCFG(...) tw_not_modelled("TTI_WRCFG")
#define TT_RDCFG(...) tw_not_modelled("TT_RDCFG")
#define TTI_RDCFG(...) tw_not_modelled("TTI_RDCFG")
#define TT_REG2FLOP(...) tw_not_modelled("TT_REG2FLOP")
#define TTI_REG2FLOP(...) tw_not_modelled("TTI_REG2FLOP")
#define TT_MVMUL(...) tw_not_modelled("TT_MVMUL")
#define TTI_MVMUL(...) tw_not_modelled("TTI_MVMUL")
#define TT_ELWADD(...) tw_not_modelled("TT_ELWADD")
#define TTI_ELWADD(...) tw_not_modelled("TTI_ELWADD")
#define TT_ELWSUB(...) tw_not_modelled("TT_ELWSUB")
#define TTI_ELWSUB(...) tw_not_modelled("TTI_ELWSUB")
#define TT_ELWMUL(...) tw_not_modelled("TT_ELWMUL")
#define TTI_ELWMUL(...) tw_not_modelled("TTI_ELWMUL")
#define TT_GAPOOL(...) tw_not_modelled("TT_GAPOOL")
#define TTI_GAPOOL(...) tw_not_modelled("TTI_GAPOOL")
#define TT_GMPOOL(...) tw_not_modelled("TT_GMPOOL")
#define TTI_GMPOOL(...) tw_not_modelled("TTI_GMPOOL")
#define TT_MOVA2D(...) tw_not_modelled("TT_MOVA2D")
#define TTI_MOVA2D(...) tw_not_modelled("TTI_MOVA2D")
#define TT_MOVB2D(...) tw_not_modelled("TT_MOVB2D")
#define TTI_MOVB2D(...) tw_not_modelled("TTI_MOVB2D")
#define TT_MOVD2A(...) tw_not_modelled("TT_MOVD2A")
#define TTI_MOVD2A(...) tw_not_modelled("TTI_MOVD2A")
#define TT_MOVD2B(...) tw_not_modelled("TT_MOVD2B")
#define TTI_MOVD2B(...) tw_not_modelled("TTI_MOVD2B")
#define TT_CLEARDVALID(...) tw_not_modelled("TT_CLEARDVALID")
#define TTI_CLEARDVALID(...) tw_not_modelled("TTI_CLEARDVALID")
