// Converts a Swagger 2.0 document to OpenAPI 3 with swagger-parser, and nothing else: no reference is followed, no
// schema is moved. Run by Rhino, which OpenAPI Generator's jar holds as well; arguments: the document, as JSON, and
// where the result goes.
var Files = java.nio.file.Files;
var Paths = java.nio.file.Paths;

var text = new java.lang.String(Files.readAllBytes(Paths.get(arguments[0])), "UTF-8");
var options = new Packages.io.swagger.v3.parser.core.models.ParseOptions();
var result = new Packages.io.swagger.v3.parser.converter.SwaggerConverter().readContents(text, null, options);
if (result.getOpenAPI() === null) {
  throw "Exception: " + result.getMessages();
}
Packages.io.swagger.v3.core.util.Json.mapper().writeValue(new java.io.File(arguments[1]), result.getOpenAPI());
