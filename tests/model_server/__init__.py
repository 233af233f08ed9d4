"""A local server that speaks the OpenAI API, records what it was asked and does what a test tells
it to.

    with ModelServer(["first answer", Fault("429", after=1), "second answer"]) as server:
        config = ReviewerConfig(name="m", model="m", base_url=server.url, key_env=None)
        ...
        assert server.received[0].body["model"] == "m"
"""

from tests.model_server.exchange import Fault, Raw, Received
from tests.model_server.server import ModelServer

__all__ = ["Fault", "ModelServer", "Raw", "Received"]
