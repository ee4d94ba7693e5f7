// Converts a Swagger 2.0 document to OpenAPI 3 with swagger-parser, and nothing else: no reference is followed, no
// schema is moved. Run by Rhino, which OpenAPI Generator's jar holds as well. Arguments: the document as JSON, where the
// result goes, and the exit code that says that the document cannot be converted.
var Files = java.nio.file.Files;
var Paths = java.nio.file.Paths;
var io = Packages.io.swagger.v3;

var text = new java.lang.String(Files.readAllBytes(Paths.get(arguments[0])), "UTF-8");
try {
  var result = new io.parser.converter.SwaggerConverter().readContents(text, null, new io.parser.core.models.ParseOptions());
  if (result.getOpenAPI() === null) {
    throw result.getMessages();
  }
} catch (problem) {
  print("Exception: " + problem);
  quit(Number(arguments[2]));
}
io.core.util.Json.mapper().writeValue(new java.io.File(arguments[1]), result.getOpenAPI());
