# SPDX-License-Identifier: Apache-2.0
"""Messages between the card's library and its server."""

from __future__ import annotations

import socket
from collections.abc import Callable

import pytest

from tilewright._card.protocol import ClosedError, has_next, packed, receive, send, send_packed
from tilewright._wire.card import CardMessageKind


def test_messages_sent_together_arrive_one_by_one() -> None:
    ours, theirs = socket.socketpair()
    with ours, theirs:
        assert not has_next(theirs)
        send_packed(ours, packed(CardMessageKind.PRINT, "line") + packed(CardMessageKind.DONE, b"12"))
        assert has_next(theirs)
        assert receive(theirs) == (CardMessageKind.PRINT, b"line")
        assert has_next(theirs)
        assert receive(theirs) == (CardMessageKind.DONE, b"12")
        assert not has_next(theirs)


@pytest.mark.parametrize("call", [receive, has_next])
def test_host_that_ends_before_it_reads_an_answer_is_closed(call: Callable[[socket.socket], object]) -> None:
    ours, theirs = socket.socketpair()
    with theirs:
        send(theirs, CardMessageKind.DONE)
        ours.close()
        with pytest.raises(ClosedError):
            call(theirs)
