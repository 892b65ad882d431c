# SPDX-License-Identifier: Apache-2.0
"""Why a run did not end well."""
