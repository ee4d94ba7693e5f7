// A bulk request and a search, to bytes and back: no server speaks the whole API over gRPC yet.
package main

import (
	"fmt"
	"log"
	"strconv"

	pb "github.com/opensearch-project/opensearch-protobufs/go/opensearch/v1"
	"google.golang.org/protobuf/proto"
)

func main() {
	bulk := &pb.BulkRequest{Index: proto.String("notes")}
	for number, text := range []string{"a river in the north", "a road along the river"} {
		index := &pb.IndexOperation{XId: proto.String(strconv.Itoa(number))}
		bulk.BulkRequestBody = append(bulk.BulkRequestBody, &pb.BulkRequestBody{
			OperationContainer: &pb.OperationContainer{
				OperationContainer: &pb.OperationContainer_Index{Index: index},
			},
			Object: []byte(fmt.Sprintf(`{"text": %q}`, text)),
		})
	}
	value := &pb.FieldValue{FieldValue: &pb.FieldValue_String_{String_: "river"}}
	match := &pb.MatchQuerySingleMap{Field: "text", MatchQuery: &pb.MatchQuery{Query: value}}
	search := &pb.SearchRequest{
		Index: []string{"notes"},
		SearchRequestBody: &pb.SearchRequestBody{
			Query: &pb.QueryContainer{QueryContainer: &pb.QueryContainer_Match{Match: match}},
		},
	}
	for _, request := range []proto.Message{bulk, search} {
		content, err := proto.Marshal(request)
		if err != nil {
			log.Fatal(err)
		}
		again := request.ProtoReflect().New().Interface()
		if err := proto.Unmarshal(content, again); err != nil {
			log.Fatal(err)
		}
		name := request.ProtoReflect().Descriptor().Name()
		if !proto.Equal(request, again) {
			log.Fatalf("%s does not come back", name)
		}
		fmt.Printf("%s: %d bytes\n", name, len(content))
	}
}
