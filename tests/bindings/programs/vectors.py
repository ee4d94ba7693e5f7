"""Lines of [message, ProtoJSON] to lines of base64, or lines of [message, base64] to lines of ProtoJSON."""

import base64
import importlib
import json
import sys
from pathlib import Path

from google.protobuf import descriptor_pool, json_format, message_factory

for package in sys.argv[2:]:
    root = Path(importlib.import_module(package).__file__).parent
    for path in sorted(root.rglob("*_pb2.py")):
        importlib.import_module(".".join((package, *path.relative_to(root).with_suffix("").parts)))
for line in sys.stdin:
    name, value = json.loads(line)
    message = message_factory.GetMessageClass(descriptor_pool.Default().FindMessageTypeByName(name))()
    if sys.argv[1] == "encode":
        json_format.ParseDict(value, message)
        print(base64.b64encode(message.SerializeToString()).decode())
    else:
        message.ParseFromString(base64.b64decode(value))
        print(json.dumps(json_format.MessageToDict(message)))
