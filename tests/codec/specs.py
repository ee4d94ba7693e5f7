"""Specifications of these tests: one page like those of the catalogue for each, built by the real pipeline."""

from __future__ import annotations

from tests.rules.pages import Page

FORMS = """
components:
  schemas:
    Everything:
      required: [names, title, sizes]
      properties:
        title: {type: string}
        names: {type: array, items: {type: string}}
        more: {type: array, items: {type: string}}
        sizes: {type: object, additionalProperties: {type: integer}}
        others: {type: object, additionalProperties: {type: integer, format: int64}}
        count: {type: integer, format: int32}
        long: {type: integer, format: int64}
        huge: {type: integer, format: uint64}
        ratio: {type: number, format: float}
        exact: {type: number, format: double}
        any_number: {type: number}
        flag: {type: boolean}
        state: {$ref: '#/components/schemas/State'}
        states: {type: array, items: {$ref: '#/components/schemas/State'}}
        one_or_many: {oneOf: [{type: string}, {type: array, items: {type: string}}]}
        vector: {type: array, items: {type: number, format: float}}
        anything: true
        object: {type: object}
        document: {type: object, x-protobuf-data-type: bytes}
        picture: {type: string, format: byte}
        digits: {type: integer, format: bigint}
        stringified: {oneOf: [{type: integer}, {type: string}], x-protobuf-data-type: int32}
        switch: {oneOf: [{type: boolean}, {type: string}], x-protobuf-data-type: bool}
        nullable: {type: [string, 'null']}
        nulls: {type: array, items: {type: [string, 'null']}}
        pair: {type: array, prefixItems: [{type: string}, {type: integer}], items: {type: boolean}}
        grid: {type: array, items: {type: array, items: {type: number, format: double}}}
        term: {$ref: '#/components/schemas/Term'}
        terms: {type: array, items: {$ref: '#/components/schemas/Term'}}
        facet: {$ref: '#/components/schemas/Facet'}
        shape: {$ref: '#/components/schemas/Shape'}
        query: {$ref: '#/components/schemas/Query'}
        open: {$ref: '#/components/schemas/Open'}
        counted: {$ref: '#/components/schemas/Counted'}
        failure: {$ref: '#/components/schemas/Failure'}
        mixed: {oneOf: [{type: string}, {type: integer}, {type: boolean}, {$ref: '#/components/schemas/State'}]}
    State: {enum: [open, closed]}
    Counted:
      required: [skip]
      properties: {skip: {oneOf: [{type: integer}, {type: string}], x-protobuf-data-type: int32}}
    Failure:
      anyOf:
        - {required: [status], title: item, properties: {status: {type: integer}, id: {type: string}}}
        - {required: [status], title: search, properties: {status: {type: integer}, shard: {type: integer}}}
    Term:
      oneOf:
        - {title: value, type: string}
        - required: [value]
          properties: {boost: {type: number, format: float}, value: {type: string}}
    Facet:
      properties: {label: {type: string}}
      oneOf:
        - {$ref: '#/components/schemas/Bands'}
        - {title: terms, $ref: '#/components/schemas/Values'}
        - properties: {missing: {type: integer}}
    Bands: {required: [kind], properties: {kind: {type: string}, above: {type: integer}, below: {type: integer}}}
    Values: {properties: {field: {type: string}, size: {type: integer}}}
    Shape:
      discriminator: {propertyName: type, mapping: {c: '#/components/schemas/Circle', s: '#/components/schemas/Square'}}
      oneOf: [{$ref: '#/components/schemas/Circle'}, {$ref: '#/components/schemas/Square'}]
    Circle: {required: [type, size], properties: {type: {type: string}, size: {type: integer}}}
    Square: {required: [type, size], properties: {type: {type: string}, size: {type: integer}, tilt: {type: number}}}
    Query:
      maxProperties: 1
      minProperties: 1
      properties:
        match: {$ref: '#/components/schemas/Term'}
        all: {type: array, items: {$ref: '#/components/schemas/Query'}}
        by:
          type: object
          minProperties: 1
          maxProperties: 1
          additionalProperties: {$ref: '#/components/schemas/Term'}
    Open:
      properties: {found: {type: integer}}
      additionalProperties: {title: computed, type: string}
"""

HTTP = """
openapi: 3.1.0
paths:
  /search:
    get: &search
      x-operation-group: search
      parameters:
        - {$ref: '#/components/parameters/fields'}
        - {$ref: '#/components/parameters/limit'}
        - {$ref: '#/components/parameters/exact'}
        - {$ref: '#/components/parameters/wait'}
        - {$ref: '#/components/parameters/pretty'}
      requestBody: {content: {application/json: {schema: {$ref: '#/components/schemas/Query'}}}}
      responses:
        '200': {content: {application/json: {schema: {$ref: '#/components/schemas/Answer'}}}}
    post: *search
  /{index}/search:
    post:
      x-operation-group: search
      parameters:
        - {name: index, in: path, required: true, schema: {type: array, items: {type: string}}}
        - {$ref: '#/components/parameters/fields'}
        - {$ref: '#/components/parameters/pretty'}
      requestBody: {content: {application/json: {schema: {$ref: '#/components/schemas/Query'}}}}
      responses:
        '200': {content: {application/json: {schema: {$ref: '#/components/schemas/Answer'}}}}
        '202': {content: {application/json: {schema: {$ref: '#/components/schemas/Answer'}}}}
  /bulk:
    post:
      operationId: bulk
      requestBody:
        required: true
        content: {application/x-ndjson: {schema: {type: array, items: {$ref: '#/components/schemas/BulkLine'}}}}
      responses: {'204': {description: Done}}
  /notes/{id}:
    head:
      operationId: exists
      parameters: [{name: id, in: path, required: true, schema: {type: string}}]
      responses: {'200': {description: It is there}, '404': {description: It is not}}
    get:
      operationId: read
      parameters: [{name: id, in: path, required: true, schema: {type: string}}]
      responses: {'200': {content: {text/plain: {schema: {type: string}}}}}
  /cursors:
    delete:
      operationId: close
      requestBody:
        content:
          application/json:
            schema: {x-proto-inline: true, required: [ids], properties: {ids: {type: array, items: {type: string}}}}
      responses:
        '200': {content: {application/json: {schema: {type: object, additionalProperties: {type: integer}}}}}
components:
  parameters:
    fields: {name: fields, in: query, schema: {type: array, items: {type: string}}}
    limit: {name: limit, in: query, schema: {type: integer, format: int32}}
    exact: {name: exact, in: query, schema: {type: number, format: double}}
    wait: {name: wait, in: query, schema: {oneOf: [{type: boolean}, {type: integer}, {enum: [soon]}]}}
    pretty: {name: pretty, in: query, x-global: true, schema: {type: boolean}}
  schemas:
    Query: {properties: {title: {type: string}, size: {type: integer}}}
    Answer: {required: [hits], properties: {hits: {type: array, items: {type: string}}}}
    Action:
      properties:
        index: {type: object, properties: {_id: {type: string}}}
        delete: {type: object, properties: {_id: {type: string}}}
      additionalProperties: false
    Change: {properties: {doc: {type: object}, script: {type: string}}}
    BulkLine:
      anyOf:
        - $ref: '#/components/schemas/Action'
        - $ref: '#/components/schemas/Change'
        - {title: document, type: object, x-protobuf-data-type: bytes}
"""

STREAMS = """
openapi: 3.1.0
paths:
  /talk:
    post:
      operationId: talk
      requestBody: {content: {application/json: {schema: {$ref: '#/components/schemas/Question'}}}}
      responses:
        '200': {content: {text/event-stream: {schema: {type: array, items: {$ref: '#/components/schemas/Word'}}}}}
  /log:
    get:
      operationId: log
      responses: {'200': {content: {application/x-ndjson: {schema: {$ref: '#/components/schemas/Word'}}}}}
  /rows:
    put:
      operationId: rows
      requestBody: {content: {application/json: {schema: {$ref: '#/components/schemas/Word'}}}}
      responses:
        '200':
          content:
            application/json: {schema: {$ref: '#/components/schemas/Word'}}
            application/cbor: {schema: {$ref: '#/components/schemas/Word'}}
            application/smile: {schema: {$ref: '#/components/schemas/Word'}}
            application/yaml: {schema: {$ref: '#/components/schemas/Word'}}
            text/plain: {schema: {type: string}}
            application/zip: {}
        default: {content: {application/json: {schema: {$ref: '#/components/schemas/Word'}}}}
components:
  schemas:
    Question: {properties: {text: {type: string}}}
    Word:
      properties:
        text: {type: string}
        weight: {type: number, format: float}
        source: {type: object, x-protobuf-data-type: bytes}
"""
STREAMING = """
services:
  - name: TalkService
    file: streams/v1/talk_service.proto
    rpcs:
      - {name: Talk, group: talk}
      - {name: Log, group: log}
      - {name: LogAll, group: log, server_streaming: true}
      - {name: Rows, group: rows}
"""

CASES = """
components:
  schemas:
    Sorting:
      properties:
        order: {oneOf: [{enum: [asc, desc]}, {enum: [ASC, DESC]}]}
        orders: {type: array, items: {oneOf: [{enum: [asc, desc]}, {enum: [ASC, DESC]}]}}
        value: {oneOf: [{type: string}, {type: number}, {type: 'null'}]}
        filter: {type: object, additionalProperties: {$ref: '#/components/schemas/Value'}}
    Value: {oneOf: [{type: integer, format: int64}, {type: number, format: float}, {type: string}, {type: 'null'}]}
"""
TWINS = """
components:
  schemas:
    Either: {oneOf: [{$ref: '#/components/schemas/Left'}, {$ref: '#/components/schemas/Right'}, {type: string}]}
    Left: {required: [x], properties: {x: {type: integer}, y: {$ref: '#/components/schemas/Inner'}}}
    Right: {required: [x], properties: {x: {type: integer}, y: {$ref: '#/components/schemas/Inner'}}}
    Inner: {properties: {z: {type: array, items: {type: string}}}}
"""
STATES = """
components:
  schemas:
    Door: {required: [state], properties: {state: {$ref: '#/components/schemas/State'}, wide: {type: boolean}}}
    State: {enum: [open, closed]}
"""
IMPOSSIBLE = """
components:
  schemas:
    Vehicle:
      discriminator: {propertyName: kind, mapping: {car: '#/components/schemas/Car', boat: '#/components/schemas/Boat'}}
      oneOf: [{$ref: '#/components/schemas/Car'}, {$ref: '#/components/schemas/Boat'}]
    Car: {properties: {kind: {enum: [car]}, doors: {type: integer}}}
    Boat: {properties: {kind: {enum: [ship]}, sails: {type: integer}}}
"""
PUBLISHED = "conversion: {case_variants: one_value, null_variant: variant, responses: direct}\n"


def page(stem: str, spec: str, profile: str = "") -> Page:
    """A specification as a page of the catalogue."""
    blocks = f"```yaml\n{spec}```\n" + (f"```yaml profile\n{profile}```\n" if profile else "")
    return Page(stem, f"# {stem}\n\n{blocks}")


DEEP_UNIONS = 30
"""How many unions stand in one another."""


def deep_unions() -> str:
    """Unions of two objects that only differ in one key, each with the next union in it."""
    lines = ["components:", "  schemas:"]
    for at in range(DEEP_UNIONS):
        inner = f"{{$ref: '#/components/schemas/U{at + 1}'}}" if at + 1 < DEEP_UNIONS else "{type: integer}"
        members = ", ".join(f"{{$ref: '#/components/schemas/{name}{at}'}}" for name in "AB")
        lines.append(f"    U{at}: {{oneOf: [{members}]}}")
        for name, kind in (("A", "string"), ("B", "integer")):
            properties = f"{{x: {inner}, a: {{type: {kind}}}}}"
            lines.append(f"    {name}{at}: {{required: [x], properties: {properties}}}")
    return "\n".join(lines) + "\n"


PAGES = [
    page("forms", FORMS),
    page("http", HTTP),
    page("streams", STREAMS, STREAMING),
    page("twins", TWINS),
    page("cases", CASES, PUBLISHED),
    page("required-state", STATES),
    page("impossible", IMPOSSIBLE),
    page("deep-unions", deep_unions()),
]
