import com.google.gson.JsonArray;
import com.google.gson.JsonParser;
import com.google.protobuf.Message;
import com.google.protobuf.util.JsonFormat;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.Base64;

/** Lines of [message, ProtoJSON] to lines of base64, or lines of [message, base64] to lines of ProtoJSON. */
public final class Vectors {
  public static void main(String[] arguments) throws Exception {
    BufferedReader lines = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    PrintStream out = new PrintStream(System.out, true, StandardCharsets.UTF_8);
    for (String line = lines.readLine(); line != null; line = lines.readLine()) {
      JsonArray pair = JsonParser.parseString(line).getAsJsonArray();
      String name = pair.get(0).getAsString();
      String simple = name.substring(name.lastIndexOf('.') + 1);
      Class<?> kind = Class.forName(arguments[1] + "." + simple);
      Message.Builder builder = ((Message) kind.getMethod("getDefaultInstance").invoke(null)).newBuilderForType();
      if (arguments[0].equals("encode")) {
        JsonFormat.parser().merge(pair.get(1).toString(), builder);
        out.println(Base64.getEncoder().encodeToString(builder.build().toByteArray()));
      } else {
        builder.mergeFrom(Base64.getDecoder().decode(pair.get(1).getAsString()));
        out.println(JsonFormat.printer().omittingInsignificantWhitespace().print(builder));
      }
    }
  }
}
