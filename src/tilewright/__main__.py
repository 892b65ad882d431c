# SPDX-License-Identifier: Apache-2.0
"""``python -m tilewright``: the ``tilewright`` command where its script is not on the path."""

import sys

from tilewright._cli.main import main

sys.exit(main())
