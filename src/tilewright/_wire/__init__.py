# SPDX-License-Identifier: Apache-2.0
"""The boundaries between Python and C++: structures, enumerations, constants and functions, each written down once.

``runner.py``, ``engine.py``, ``replay.py`` and ``card.py`` are the schema. ctypes reads the structures directly;
``cpp_headers.py`` writes a C++ header for each module when the C++ is compiled.
"""
