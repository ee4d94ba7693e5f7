"""The codec converts between the JSON of a REST API and the protobuf messages of its contract, without loss.

It needs the descriptors and the binding of a contract, and nothing of the pipeline that built them.
"""

from spec2proto_codec.codec import Codec
from spec2proto_codec.errors import CodecError
from spec2proto_codec.http.codec import HttpCodec
from spec2proto_codec.http.requests import HttpRequest
from spec2proto_codec.http.responses import HttpResponse

__all__ = ["Codec", "CodecError", "HttpCodec", "HttpRequest", "HttpResponse"]
