// SPDX-License-Identifier: Apache-2.0
#error "calls of other operations are not available linked against ttnn: build the folder without --link"
