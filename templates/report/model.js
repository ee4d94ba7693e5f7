// The data of the page, as `postprocess/report/search_index.py` writes it: lists, with indexes for values that repeat.
const report = JSON.parse(document.getElementById('data').textContent);
const atlas = report.atlas;
atlas.schemas = Object.fromEntries(atlas.roots.map((root, at) => [root, atlas.schemas[at]]).filter(([, schema]) => schema !== null));

const escaped = (key) => key.replace(/~/g, '~0').replace(/\//g, '~1');

report.changes = report.changes.map(([change, element, detail = '', place = '']) => ({change, element, detail, place}));

const placeOf = ([document, root, rest, line]) => ({
  file: atlas.documents[document],
  root: atlas.roots[root],
  rest,
  pointer: atlas.roots[root] + rest,
  line,
});

// A property of the message's own schema has only its line.
const fieldPlaces = (element, [, name, json, , , places]) => places.map((own) => {
  if (Array.isArray(own)) return own;
  const [document, root, rest] = element.places[0];
  return [document, root, `${rest}/properties/${escaped(json === 0 ? name : json)}`, own];
});

const fieldOf = (element, field) => ({
  number: field[0], name: field[1], json: field[2] === 0 ? field[1] : field[2], rules: atlas.rules[field[3]],
  deprecated: Boolean(field[4]), places: fieldPlaces(element, field),
});

const namespaceOf = (file) => file.split('/').pop().replace(/\.proto$/, '').replace(/_service$/, '') || 'other';

// In the comment of an element `^` stands for its place.
const textOf = (text, place) => (place ? text.replace('// Schema: ^\n', () => `// Schema: ${placeOf(place).pointer}\n`) : text);

// By name: messages, enums, and rpcs as `Service/Rpc`.
const elements = new Map();
for (const [name, file, place, rules, form, deprecated, text, fields] of atlas.messages) {
  elements.set(name, {
    kind: 'message', name, file: atlas.files[file], places: [place], rules: atlas.rules[rules], form,
    deprecated: Boolean(deprecated), text: textOf(text, place), fields,
  });
}
for (const [name, file, place, rules, deprecated, text, values] of atlas.enums) {
  elements.set(name, {
    kind: 'enum', name, file: atlas.files[file], places: [place], rules: atlas.rules[rules],
    deprecated: Boolean(deprecated), text: textOf(text, place), values,
  });
}
for (const [name, file, group, request, response, rules, deprecated, text, forms] of atlas.rpcs) {
  elements.set(name, {
    kind: 'rpc', name, file: atlas.files[file], group, request, response, rules: atlas.rules[rules],
    deprecated: Boolean(deprecated), text: textOf(text, forms.length ? forms[0][2] : null), forms, places: forms.map((form) => form[2]),
  });
}

const elementLink = (name) => `#/e/${encodeURIComponent(name)}`;
const ruleLink = (rule) => `#/rule/${encodeURIComponent(rule)}`;
const schemaLink = (root) => `#/schema/${encodeURIComponent(root)}`;
// The element that a name in a report stands for: `Message.field` is shown on the page of its message.
const ownerOf = (name) => (elements.has(name) ? name : elements.has(name.split('.')[0]) ? name.split('.')[0] : null);

// From a pointer of the specification to what became of it.
let byPointer = null;
const madeFrom = (pointer) => {
  if (!byPointer) {
    byPointer = new Map();
    const add = (place, name) => {
      const key = placeOf(place).pointer;
      if (!key) return;
      if (!byPointer.has(key)) byPointer.set(key, []);
      if (!byPointer.get(key).includes(name)) byPointer.get(key).push(name);
    };
    for (const element of elements.values()) {
      element.places.forEach((place) => add(place, element.name));
      (element.fields || []).forEach((field) => fieldPlaces(element, field).forEach((place) => add(place, `${element.name}.${field[1]}`)));
    }
  }
  return byPointer.get(pointer) || [];
};

// Who uses a type: messages by their fields, rpcs by what they take and answer.
let users = null;
const usersOf = (name) => {
  if (!users) {
    users = new Map();
    const add = (type, user) => {
      if (!users.has(type)) users.set(type, new Set());
      users.get(type).add(user);
    };
    for (const element of elements.values()) {
      if (element.kind === 'rpc') [element.request, element.response].forEach((type) => add(type, element.name));
      if (element.kind === 'message') {
        for (const word of new Set(element.text.match(/[A-Za-z_]\w*/g) || [])) {
          if (word !== element.name && elements.has(word)) add(word, element.name);
        }
      }
    }
  }
  return [...(users.get(name) || [])].sort();
};
