// Stores three documents and finds two of them: go run ./example localhost:9400
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"log"
	"os"
	"strconv"
	"time"

	pb "github.com/opensearch-project/opensearch-protobufs/go/opensearchpb"
	"github.com/opensearch-project/opensearch-protobufs/go/services"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/protobuf/proto"
)

const index = "bindings-go"

var texts = []string{"a river in the north", "a road along the river", "a house on the hill"}

func main() {
	address := "localhost:9400"
	if len(os.Args) > 1 {
		address = os.Args[1]
	}
	if err := run(address); err != nil {
		log.Fatal(err)
	}
}

func run(address string) error {
	connection, err := grpc.NewClient(
		address, grpc.WithTransportCredentials(insecure.NewCredentials()), grpc.WithNoProxy())
	if err != nil {
		return err
	}
	defer connection.Close()
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()

	bulk := &pb.BulkRequest{Index: proto.String(index), Refresh: pb.Refresh_REFRESH_TRUE.Enum()}
	for number, text := range texts {
		document, err := json.Marshal(map[string]string{"text": text})
		if err != nil {
			return err
		}
		operation := &pb.IndexOperation{XId: proto.String(strconv.Itoa(number))}
		bulk.BulkRequestBody = append(bulk.BulkRequestBody, &pb.BulkRequestBody{
			OperationContainer: &pb.OperationContainer{
				OperationContainer: &pb.OperationContainer_Index{Index: operation},
			},
			Object: document,
		})
	}
	stored, err := services.NewDocumentServiceClient(connection).Bulk(ctx, bulk)
	if err != nil {
		return err
	}
	fmt.Printf("stored %d documents, errors: %t\n", len(stored.GetItems()), stored.GetErrors())

	match := &pb.MatchQuery{Field: "text", Query: &pb.FieldValue{String_: proto.String("river")}}
	answer, err := services.NewSearchServiceClient(connection).Search(ctx, &pb.SearchRequest{
		Index: []string{index},
		SearchRequestBody: &pb.SearchRequestBody{
			Query: &pb.QueryContainer{QueryContainer: &pb.QueryContainer_Match{Match: match}},
		},
	})
	if err != nil {
		return err
	}
	for _, hit := range answer.GetHits().GetHits() {
		fmt.Printf("hit %s: %s\n", hit.GetXId(), hit.GetXSource())
	}
	return nil
}
