// Lines of [message, ProtoJSON] to lines of base64, or lines of [message, base64] to lines of ProtoJSON.
import { readFileSync } from "node:fs";
import { createRegistry, fromBinary, fromJson, toBinary, toJson } from "@bufbuild/protobuf";
import { base64Decode, base64Encode } from "@bufbuild/protobuf/wire";
IMPORTS

const registry = createRegistry(FILES);
const lines = readFileSync(0, "utf-8").split("\n").filter((line) => line !== "");
for (const line of lines) {
  const [name, value] = JSON.parse(line);
  const schema = registry.getMessage(name);
  if (schema === undefined) {
    throw new Error(`no message ${name}`);
  }
  const encoded = process.argv[2] === "encode"
    ? base64Encode(toBinary(schema, fromJson(schema, value, { registry })))
    : JSON.stringify(toJson(schema, fromBinary(schema, base64Decode(value)), { registry }));
  console.log(encoded);
}
