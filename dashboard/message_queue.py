"""Keeps together what Streamlit sends to a browser."""

from streamlit.runtime.forward_msg_queue import ForwardMsgQueue


def keep_boxes_with_contents() -> None:
    """Let everything that was drawn before a fragment runs again be sent.

    Streamlit 1.67 then drops what that fragment drew and has not been sent, its boxes too, but
    keeps what nested fragments drew into these boxes: the browser gets contents without a box,
    ends with "Cannot set a node at a delta path", and the page stays as it was.
    """
    clear = ForwardMsgQueue.clear

    def cleared(
        queue: ForwardMsgQueue,
        retain_lifecycle_msgs: bool = False,
        fragment_ids_this_run: list[str] | None = None,
    ) -> None:
        clear(queue, retain_lifecycle_msgs, None if fragment_ids_this_run is None else [])

    ForwardMsgQueue.clear = cleared  # type: ignore[assignment, method-assign]
