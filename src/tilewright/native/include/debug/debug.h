// SPDX-License-Identifier: Apache-2.0
// A header of some compilers' own libraries that kernels include by mistake; where it does not exist it is empty.
#if __has_include_next(<debug/debug.h>)
#include_next <debug/debug.h>
#endif
