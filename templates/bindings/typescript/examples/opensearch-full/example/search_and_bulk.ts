// A bulk request and a search, to bytes and back: no server speaks the whole API over gRPC yet.
import { create, equals, fromBinary, toBinary } from "@bufbuild/protobuf";
import { BulkRequestSchema } from "../src/opensearch/v1/document_service_pb.js";
import { SearchRequestSchema } from "../src/opensearch/v1/search_service_pb.js";

const TEXTS = ["a river in the north", "a road along the river"];

const bulk = create(BulkRequestSchema, {
  index: "notes",
  bulkRequestBody: TEXTS.map((text, number) => ({
    operationContainer: { operationContainer: { case: "index" as const, value: { xId: String(number) } } },
    object: new TextEncoder().encode(JSON.stringify({ text })),
  })),
});
const query = { query: { fieldValue: { case: "string" as const, value: "river" } } };
const search = create(SearchRequestSchema, {
  index: ["notes"],
  searchRequestBody: {
    query: { queryContainer: { case: "match" as const, value: { field: "text", matchQuery: query } } },
  },
});

const bulkBytes = toBinary(BulkRequestSchema, bulk);
const searchBytes = toBinary(SearchRequestSchema, search);
if (!equals(BulkRequestSchema, bulk, fromBinary(BulkRequestSchema, bulkBytes))) {
  throw new Error("BulkRequest does not come back");
}
if (!equals(SearchRequestSchema, search, fromBinary(SearchRequestSchema, searchBytes))) {
  throw new Error("SearchRequest does not come back");
}
console.log(`BulkRequest: ${bulkBytes.length} bytes`);
console.log(`SearchRequest: ${searchBytes.length} bytes`);
