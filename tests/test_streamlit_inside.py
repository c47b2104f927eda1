"""What a run has drawn counts as sent when it has left the server's queue, and not before."""

import asyncio
import threading
import time
from types import SimpleNamespace

import pytest
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.runtime.forward_msg_queue import ForwardMsgQueue

from explorer.page import streamlit_inside

HELD = 0.1  # seconds


@pytest.fixture
def loop():
    """The server's thread."""
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever)
    thread.start()
    yield loop
    loop.call_soon_threadsafe(loop.stop)
    thread.join()
    loop.close()


@pytest.fixture
def session(loop, monkeypatch):
    """A session of this server's, with nothing to send, and whether a browser is there."""
    session = SimpleNamespace(_browser_queue=ForwardMsgQueue(), _event_loop=loop, is_active=True)
    sessions = SimpleNamespace(
        get_active_session_info=lambda _: SimpleNamespace(session=session),
        is_active_session=lambda _: session.is_active,
    )
    server = SimpleNamespace(_session_mgr=sessions)
    run = SimpleNamespace(session_id="one")
    monkeypatch.setattr(streamlit_inside, "get_instance", lambda: server)
    monkeypatch.setattr(streamlit_inside, "get_script_run_ctx", lambda: run)
    return session


def draw(session):
    """Hand a message to the server, as a run does."""
    session._event_loop.call_soon_threadsafe(session._browser_queue.enqueue, ForwardMsg())


def later(session, act):
    session._event_loop.call_soon_threadsafe(session._event_loop.call_later, HELD, act)


def flush_later(session):
    """Empty the queue after a while, as the server does; what was in it comes into a list."""
    sent = []
    later(session, lambda: sent.extend(session._browser_queue.flush()))
    return sent


def test_a_run_waits_until_the_queue_is_empty(session):
    sent = flush_later(session)
    draw(session)
    assert streamlit_inside.is_sent()
    assert len(sent) == 1


def test_it_does_not_take_a_queue_for_empty_that_the_last_words_are_on_the_way_to(session):
    sent = flush_later(session)
    session._event_loop.call_soon_threadsafe(time.sleep, HELD / 2)  # the server is busy
    draw(session)
    assert streamlit_inside.is_sent()
    assert len(sent) == 1
    start = time.monotonic()
    assert streamlit_inside.is_sent()
    assert time.monotonic() - start < HELD / 2


def test_what_nobody_is_there_to_get_is_not_sent(session):
    draw(session)
    later(session, lambda: setattr(session, "is_active", False))
    assert not streamlit_inside.is_sent()


def test_a_server_that_stops_is_not_waited_for(session, monkeypatch):
    monkeypatch.setattr(streamlit_inside, "_PATIENCE", 0.02)
    draw(session)
    assert not streamlit_inside.is_sent()
