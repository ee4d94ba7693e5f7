import com.google.protobuf.ByteString;
import io.grpc.ManagedChannel;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import java.util.concurrent.TimeUnit;
import org.opensearch.protobufs.BulkRequest;
import org.opensearch.protobufs.BulkRequestBody;
import org.opensearch.protobufs.BulkResponse;
import org.opensearch.protobufs.FieldValue;
import org.opensearch.protobufs.HitsMetadataHitsInner;
import org.opensearch.protobufs.IndexOperation;
import org.opensearch.protobufs.MatchQuery;
import org.opensearch.protobufs.OperationContainer;
import org.opensearch.protobufs.QueryContainer;
import org.opensearch.protobufs.Refresh;
import org.opensearch.protobufs.SearchRequest;
import org.opensearch.protobufs.SearchRequestBody;
import org.opensearch.protobufs.SearchResponse;
import org.opensearch.protobufs.services.DocumentServiceGrpc;
import org.opensearch.protobufs.services.SearchServiceGrpc;

/** Stores three documents and finds two of them, on the server whose address is the argument. */
public final class SearchAndBulk {
  private static final String INDEX = "bindings-java";
  private static final String[] TEXTS = {"a river in the north", "a road along the river", "a house on the hill"};

  public static void main(String[] arguments) throws InterruptedException {
    String address = arguments.length > 0 ? arguments[0] : "localhost:9400";
    ManagedChannel channel =
        NettyChannelBuilder.forTarget(address).usePlaintext().proxyDetector(target -> null).build();
    try {
      BulkRequest.Builder bulk = BulkRequest.newBuilder().setIndex(INDEX).setRefresh(Refresh.REFRESH_TRUE);
      for (int number = 0; number < TEXTS.length; number++) {
        IndexOperation index = IndexOperation.newBuilder().setXId(Integer.toString(number)).build();
        bulk.addBulkRequestBody(
            BulkRequestBody.newBuilder()
                .setOperationContainer(OperationContainer.newBuilder().setIndex(index))
                .setObject(ByteString.copyFromUtf8("{\"text\": \"" + TEXTS[number] + "\"}")));
      }
      BulkResponse stored =
          DocumentServiceGrpc.newBlockingStub(channel).withDeadlineAfter(30, TimeUnit.SECONDS).bulk(bulk.build());
      System.out.println("stored " + stored.getItemsCount() + " documents, errors: " + stored.getErrors());

      MatchQuery match =
          MatchQuery.newBuilder().setField("text").setQuery(FieldValue.newBuilder().setString("river")).build();
      SearchRequest request =
          SearchRequest.newBuilder()
              .addIndex(INDEX)
              .setSearchRequestBody(
                  SearchRequestBody.newBuilder().setQuery(QueryContainer.newBuilder().setMatch(match)))
              .build();
      SearchResponse answer =
          SearchServiceGrpc.newBlockingStub(channel).withDeadlineAfter(30, TimeUnit.SECONDS).search(request);
      for (HitsMetadataHitsInner hit : answer.getHits().getHitsList()) {
        System.out.println("hit " + hit.getXId() + ": " + hit.getXSource().toStringUtf8());
      }
    } finally {
      channel.shutdown().awaitTermination(5, TimeUnit.SECONDS);
    }
  }
}
