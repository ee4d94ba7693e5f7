import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.dataformat.cbor.CBORFactory;
import com.fasterxml.jackson.dataformat.smile.SmileFactory;
import com.fasterxml.jackson.dataformat.smile.SmileGenerator;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;

/** Turns `ours.json` of a folder into SMILE and CBOR in each way that the server's library has, and `ours.smile` and `ours.cbor` into JSON. */
public class Packed {
    private static final JsonFactory TEXT = new JsonFactory();

    public static void main(String[] arguments) throws IOException {
        Path folder = Path.of(arguments[0]);
        Path ours = folder.resolve("ours.json");
        for (int way = 0; way < 8; way++) {
            SmileFactory smile = SmileFactory.builder()
                .configure(SmileGenerator.Feature.CHECK_SHARED_NAMES, (way & 1) != 0)
                .configure(SmileGenerator.Feature.CHECK_SHARED_STRING_VALUES, (way & 2) != 0)
                .configure(SmileGenerator.Feature.WRITE_END_MARKER, (way & 4) != 0)
                .build();
            copy(TEXT, ours, smile, folder.resolve("theirs-" + way + ".smile"));
        }
        copy(TEXT, ours, new CBORFactory(), folder.resolve("theirs.cbor"));
        copy(new SmileFactory(), folder.resolve("ours.smile"), TEXT, folder.resolve("smile.json"));
        copy(new CBORFactory(), folder.resolve("ours.cbor"), TEXT, folder.resolve("cbor.json"));
    }

    private static void copy(JsonFactory from, Path source, JsonFactory to, Path target) throws IOException {
        try (JsonParser parser = from.createParser(Files.readAllBytes(source));
                OutputStream out = Files.newOutputStream(target);
                JsonGenerator generator = to.createGenerator(out)) {
            while (parser.nextToken() != null) {
                generator.copyCurrentEventExact(parser);
            }
        }
    }
}
