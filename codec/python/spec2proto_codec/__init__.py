"""The codec: the JSON of a REST API ⇄ protobuf messages of its contract, without loss.

It needs descriptors and binding, and knows nothing of the pipeline and of OpenAPI.
"""

from spec2proto_codec.codec import Codec
from spec2proto_codec.errors import CodecError
from spec2proto_codec.http.codec import HttpCodec
from spec2proto_codec.http.requests import HttpRequest
from spec2proto_codec.http.responses import HttpResponse

__all__ = ["Codec", "CodecError", "HttpCodec", "HttpRequest", "HttpResponse"]
