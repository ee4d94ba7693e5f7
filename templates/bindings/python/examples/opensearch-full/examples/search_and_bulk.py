"""A bulk request and a search, to bytes and back: no server speaks the whole API over gRPC yet."""

import json

from opensearch.v1 import core_pb2, document_service_pb2, search_service_pb2

bulk = document_service_pb2.BulkRequest(index="notes")
for number, text in enumerate(("a river in the north", "a road along the river")):
    operation = core_pb2.OperationContainer(index=core_pb2.IndexOperation(x_id=str(number)))
    bulk.bulk_request_body.add(operation_container=operation, object=json.dumps({"text": text}).encode())

search = search_service_pb2.SearchRequest(index=["notes"])
search.search_request_body.query.match.field = "text"
search.search_request_body.query.match.match_query.query.string = "river"

for request in (bulk, search):
    content = request.SerializeToString()
    assert type(request).FromString(content) == request
    print(f"{type(request).__name__}: {len(content)} bytes")
