// Stores three documents and finds two of them: node dist/example/search_and_bulk.js http://localhost:9400
import { create } from "@bufbuild/protobuf";
import { createClient } from "@connectrpc/connect";
import { createGrpcTransport } from "@connectrpc/connect-node";
import { BulkRequestSchema, Refresh, SearchRequestSchema } from "../src/protos/schemas/common_pb.js";
import { DocumentService } from "../src/protos/services/document_service_pb.js";
import { SearchService } from "../src/protos/services/search_service_pb.js";

const INDEX = "bindings-typescript";
const TEXTS = ["a river in the north", "a road along the river", "a house on the hill"];

async function main(address: string): Promise<void> {
  const transport = createGrpcTransport({ baseUrl: address, defaultTimeoutMs: 30_000 });

  const bulk = create(BulkRequestSchema, {
    index: INDEX,
    refresh: Refresh.TRUE,
    bulkRequestBody: TEXTS.map((text, number) => ({
      operationContainer: { operationContainer: { case: "index" as const, value: { xId: String(number) } } },
      object: new TextEncoder().encode(JSON.stringify({ text })),
    })),
  });
  const stored = await createClient(DocumentService, transport).bulk(bulk);
  console.log(`stored ${stored.items.length} documents, errors: ${stored.errors}`);

  const request = create(SearchRequestSchema, {
    index: [INDEX],
    searchRequestBody: {
      query: { queryContainer: { case: "match", value: { field: "text", query: { string: "river" } } } },
    },
  });
  const answer = await createClient(SearchService, transport).search(request);
  for (const hit of answer.hits?.hits ?? []) {
    console.log(`hit ${hit.xId}: ${new TextDecoder().decode(hit.xSource)}`);
  }
}

await main(process.argv[2] ?? "http://localhost:9400");
