# SPDX-License-Identifier: Apache-2.0
"""The stages of an operation, from an API that exists to numbers that are right."""
