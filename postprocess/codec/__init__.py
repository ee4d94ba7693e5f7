"""The codec: the JSON of a REST API ⇄ protobuf messages of its contract, without loss.

It needs descriptors and binding, and knows nothing of the pipeline and of OpenAPI.
"""

from postprocess.codec.codec import Codec
from postprocess.codec.errors import CodecError
from postprocess.codec.exchange import HttpCodec
from postprocess.codec.requests import HttpRequest
from postprocess.codec.responses import HttpResponse

__all__ = ["Codec", "CodecError", "HttpCodec", "HttpRequest", "HttpResponse"]
