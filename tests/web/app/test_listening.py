"""Sockets to listen on."""

import asyncio
import socket

import pytest

from setwise.errors import InputError
from setwise.web.app.listening import bound_socket
from tests.web.running import run_async


def test_small_answers_are_sent_at_once():
    """Red if a connection waits 40 ms for acknowledgements between the head and the body of an answer."""

    async def delays():
        accepted = asyncio.get_running_loop().create_future()
        listening = bound_socket("127.0.0.1", 0)
        server = await asyncio.start_server(lambda _, writer: accepted.set_result(writer), sock=listening)
        _, client = await asyncio.open_connection(*listening.getsockname())
        writer = await accepted
        found = writer.get_extra_info("socket").getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)
        client.close()
        writer.close()
        server.close()
        return found

    assert run_async(delays()) != 0


def test_a_port_in_use_is_explained():
    with bound_socket("127.0.0.1", 0) as taken:
        taken.listen()
        port = taken.getsockname()[1]
        with pytest.raises(InputError, match=f"cannot listen on 127.0.0.1:{port}: .*--port"):
            bound_socket("127.0.0.1", port)
