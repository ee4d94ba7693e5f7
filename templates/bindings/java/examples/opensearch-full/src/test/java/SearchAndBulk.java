import com.google.protobuf.ByteString;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.Message;
import org.opensearch.protobufs.v1.BulkRequest;
import org.opensearch.protobufs.v1.BulkRequestBody;
import org.opensearch.protobufs.v1.FieldValue;
import org.opensearch.protobufs.v1.IndexOperation;
import org.opensearch.protobufs.v1.MatchQuery;
import org.opensearch.protobufs.v1.MatchQuerySingleMap;
import org.opensearch.protobufs.v1.OperationContainer;
import org.opensearch.protobufs.v1.QueryContainer;
import org.opensearch.protobufs.v1.SearchRequest;
import org.opensearch.protobufs.v1.SearchRequestBody;

/** A bulk request and a search, to bytes and back: no server speaks the whole API over gRPC yet. */
public final class SearchAndBulk {
  private static final String[] TEXTS = {"a river in the north", "a road along the river"};

  public static void main(String[] arguments) throws InvalidProtocolBufferException {
    BulkRequest.Builder bulk = BulkRequest.newBuilder().setIndex("notes");
    for (int number = 0; number < TEXTS.length; number++) {
      IndexOperation index = IndexOperation.newBuilder().setXId(Integer.toString(number)).build();
      bulk.addBulkRequestBody(
          BulkRequestBody.newBuilder()
              .setOperationContainer(OperationContainer.newBuilder().setIndex(index))
              .setObject(ByteString.copyFromUtf8("{\"text\": \"" + TEXTS[number] + "\"}")));
    }
    MatchQuery match = MatchQuery.newBuilder().setQuery(FieldValue.newBuilder().setString("river")).build();
    MatchQuerySingleMap onText = MatchQuerySingleMap.newBuilder().setField("text").setMatchQuery(match).build();
    SearchRequest.Builder search =
        SearchRequest.newBuilder()
            .addIndex("notes")
            .setSearchRequestBody(SearchRequestBody.newBuilder().setQuery(QueryContainer.newBuilder().setMatch(onText)));
    for (Message request : new Message[] {bulk.build(), search.build()}) {
      byte[] content = request.toByteArray();
      if (!request.getParserForType().parseFrom(content).equals(request)) {
        throw new IllegalStateException(request.getDescriptorForType().getName() + " does not come back");
      }
      System.out.println(request.getDescriptorForType().getName() + ": " + content.length + " bytes");
    }
  }
}
