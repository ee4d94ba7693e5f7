"""Store three documents and find two of them: `python search_and_bulk.py localhost:9400`."""

import json
import sys

import grpc

from opensearch.protobufs.schemas import common_pb2 as pb
from opensearch.protobufs.services import document_service_pb2_grpc, search_service_pb2_grpc

INDEX = "bindings-python"
TEXTS = ("a river in the north", "a road along the river", "a house on the hill")


def main(address: str) -> None:
    """Talk to the server at an address."""
    with grpc.insecure_channel(address, options=[("grpc.enable_http_proxy", 0)]) as channel:
        documents = document_service_pb2_grpc.DocumentServiceStub(channel)
        lines = [
            pb.BulkRequestBody(
                operation_container=pb.OperationContainer(index=pb.IndexOperation(x_id=str(number))),
                object=json.dumps({"text": text}).encode(),
            )
            for number, text in enumerate(TEXTS)
        ]
        stored = documents.Bulk(
            pb.BulkRequest(index=INDEX, refresh=pb.REFRESH_TRUE, bulk_request_body=lines), timeout=30
        )
        print(f"stored {len(stored.items)} documents, errors: {stored.errors}")

        search = search_service_pb2_grpc.SearchServiceStub(channel)
        query = pb.QueryContainer(match=pb.MatchQuery(field="text", query=pb.FieldValue(string="river")))
        answer = search.Search(
            pb.SearchRequest(index=[INDEX], search_request_body=pb.SearchRequestBody(query=query)), timeout=30
        )
        for hit in answer.hits.hits:
            print(f"hit {hit.x_id}: {json.loads(hit.x_source)['text']}")


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "localhost:9400")
