// SPDX-License-Identifier: Apache-2.0
#error "program specs with named bindings are not available linked against ttnn: build the folder without --link"
