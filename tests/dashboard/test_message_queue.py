"""Guards that a browser is never sent the contents of a box without the box."""

import pytest
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.runtime.forward_msg_queue import ForwardMsgQueue

from dashboard.message_queue import keep_boxes_with_contents


def _drawn(path: tuple[int, ...], fragment: str, *, box: bool = False) -> ForwardMsg:
    message = ForwardMsg()
    message.metadata.delta_path.extend(path)
    message.delta.fragment_id = fragment
    if box:
        message.delta.add_block.vertical.SetInParent()
    else:
        message.delta.new_element.markdown.body = "words"
    return message


def _sent(queue: ForwardMsgQueue) -> list[tuple[tuple[int, ...], str | None]]:
    """A page is drawn, and what it waits to send is sent once its outer fragment runs again."""
    queue.enqueue(_drawn((0, 0), "outer", box=True))
    queue.enqueue(_drawn((0, 0, 0), "inner"))
    queue.clear(retain_lifecycle_msgs=True, fragment_ids_this_run=["outer"])
    queue.enqueue(_drawn((0, 0), "outer", box=True))
    queue.enqueue(_drawn((0, 0, 0), "inner"))
    return [
        (tuple(message.metadata.delta_path), message.delta.WhichOneof("type"))
        for message in queue.flush()
    ]


def test_a_box_is_sent_before_what_is_in_it(monkeypatch: pytest.MonkeyPatch) -> None:
    content, box = ((0, 0, 0), "new_element"), ((0, 0), "add_block")
    # Once Streamlit no longer does this, our mend of it goes.
    assert _sent(ForwardMsgQueue()) == [content, box, content]
    monkeypatch.setattr(ForwardMsgQueue, "clear", ForwardMsgQueue.clear)
    keep_boxes_with_contents()
    assert _sent(ForwardMsgQueue()) == [box, content, box, content]
    queue = ForwardMsgQueue()
    queue.enqueue(_drawn((0, 0), "outer", box=True))
    queue.clear(retain_lifecycle_msgs=True)
    assert queue.is_empty(), "a run of the whole page draws everything anew"
