"""The calls that the tests make, with requests written as nested dictionaries of field names."""

from types import TracebackType
from typing import Any, Self

import grpc

from .server import HOST
from .stubs import Stubs

SECONDS = 30


class Client:
    """A channel to the server; every unknown field name or enum value in a request is a `ValueError`."""

    def __init__(self, *, stubs: Stubs, port: int) -> None:
        # A proxy that the environment names has no business between the tests and this machine.
        self._channel = grpc.insecure_channel(f"{HOST}:{port}", options=[("grpc.enable_http_proxy", 0)])
        self._messages = stubs.messages
        self._documents = stubs.documents.DocumentServiceStub(self._channel)
        self._search = stubs.search.SearchServiceStub(self._channel)
        self._ml = stubs.ml.MLServiceStub(self._channel)

    def __enter__(self) -> Self:
        grpc.channel_ready_future(self._channel).result(SECONDS)
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._channel.close()

    def bulk(self, *actions: dict[str, Any], **parameters: Any) -> Any:
        """The `BulkResponse` to the actions, in one request."""
        request = self._messages.BulkRequest(bulk_request_body=actions, **parameters)
        return self._documents.Bulk(request, timeout=SECONDS)

    def search(self, body: dict[str, Any], **parameters: Any) -> Any:
        """The `SearchResponse` to a search whose body is `body`."""
        return self._search.Search(self._search_request(body, parameters), timeout=SECONDS)

    def stream_search(self, body: dict[str, Any], **parameters: Any) -> list[Any]:
        """All the responses of a streaming search."""
        return list(self._search.ServerStreamSearch(self._search_request(body, parameters), timeout=SECONDS))

    def create_pit(self, **parameters: Any) -> Any:
        """The `CreatePITResponse`."""
        return self._search.CreatePit(self._messages.CreatePitRequest(**parameters), timeout=SECONDS)

    def delete_pit(self, *pit_ids: str) -> Any:
        """The `DeletePITResponse`."""
        return self._search.DeletePit(self._messages.DeletePitRequest(pit_id=pit_ids), timeout=SECONDS)

    def predict(self, **parameters: Any) -> list[Any]:
        """All the responses of a streaming prediction."""
        request = self._messages.MlPredictModelStreamRequest(**parameters)
        return list(self._ml.PredictModelStream(request, timeout=SECONDS))

    def _search_request(self, body: dict[str, Any], parameters: dict[str, Any]) -> Any:
        return self._messages.SearchRequest(search_request_body=body, **parameters)


def ids(response: Any) -> list[str]:
    """The document ids of the hits, in their order."""
    return [hit.x_id for hit in response.hits.hits]


def number(value: Any) -> int | float:
    """What a `GeneralNumber` holds."""
    held: int | float = getattr(value, value.WhichOneof("value"))
    return held


def plain(value: Any) -> Any:
    """What an `ObjectMap.Value` holds, as Python's own types."""
    kind = value.WhichOneof("value")
    held = getattr(value, kind)
    match kind:
        case "null_value":
            return None
        case "list_value":
            return [plain(item) for item in held.value]
        case "object_map":
            return {name: plain(item) for name, item in held.fields.items()}
    return held
