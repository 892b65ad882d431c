# SPDX-License-Identifier: Apache-2.0
"""The boundaries between Python and C++: structures, enumerations, constants and functions, each written down once.

The modules beside ``layout.py`` and ``cpp_headers.py`` are the schema. ctypes reads the structures directly;
``cpp_headers.py`` writes a C++ header for each module when the C++ is compiled.
"""
