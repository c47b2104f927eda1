"""As `test_recording`, of the views that show every step: a file of its own, to run beside it."""

import recording
from test_recording import differences


def test_links_to_the_steps_show_what_was_recorded():
    found = differences("attention", "present")
    assert not found, recording.told(found)
