// One element: its schema and its proto side by side, with links between the two.
const PROTO = /("(?:[^"\\]|\\.)*")|([A-Za-z_][\w.]*)|(\d+)/g;
const KEYWORDS = new Set(['message', 'enum', 'oneof', 'map', 'repeated', 'optional', 'rpc', 'returns', 'stream', 'option', 'reserved', 'extend']);

// Words of a proto line: types become links, keywords and numbers get a colour.
const protoWords = (text) => {
  const comment = text.search(/(^|\s)\/\//);
  const body = comment < 0 ? text : text.slice(0, comment);
  const found = [];
  let end = 0;
  for (const match of body.matchAll(PROTO)) {
    found.push(body.slice(end, match.index));
    end = match.index + match[0].length;
    if (match[1]) found.push(make('span', {class: 'string'}, match[0]));
    else if (match[3]) found.push(make('span', {class: 'digits'}, match[0]));
    else if (KEYWORDS.has(match[0])) found.push(make('span', {class: 'keyword'}, match[0]));
    else if (elements.has(match[0])) found.push(link(elementLink(match[0]), match[0]));
    else found.push(match[0]);
  }
  found.push(body.slice(end));
  if (comment >= 0) found.push(make('span', {class: 'comment'}, text.slice(comment)));
  return found;
};

const SIGNS = {'+': 'added', '-': 'removed', ' ': 'same'};
const WORD_OF_SIGN = {'+': 'added: ', '-': 'removed: '};
const codeLine = (sign, content, attributes) =>
  make('span', {class: `line ${SIGNS[sign]}`, ...attributes},
    make('span', {class: 'sign', 'aria-hidden': 'true'}, sign === '-' ? '−' : sign),
    WORD_OF_SIGN[sign] && make('span', {class: 'unseen'}, WORD_OF_SIGN[sign]), content, '\n');

// A block of code; what is folded away opens with a button.
const codeBlock = (label, lines, render) => {
  const block = make('pre', {class: 'code', tabindex: '0', role: 'region', 'aria-label': label});
  const draw = (entries) => entries.map(([sign, line]) => {
    if (sign !== '…') return render(sign, line);
    const button = make('button', {type: 'button', class: 'fold', on: {click: () => {
      const opened = draw(line);
      button.replaceWith(...opened);
      block.focus();
    }}}, `${counted(line.length, 'unchanged line')}`);
    return button;
  });
  block.append(...draw(lines));
  return block;
};

const withSign = (lines) => lines.map((line) => [' ', line]);
const changedOnly = (lines, fold) => (fold ? folded(lines) : lines);

const FIELD = /^\s*(?:optional |repeated )?(?:map<[^>]*>|[\w.]+) (\w+) = -?\d+/;
const protoPane = (name, text, before, {fold, target}) => {
  const element = elements.get(name);
  const own = new Set([...(element ? element.fields || element.values || [] : [])].map((entry) => entry[1]));
  const after = text ? text.split('\n') : [];
  const lines = before === undefined ? withSign(after) : difference(before ? before.split('\n') : [], after);
  const render = (sign, line) => {
    const field = (line.match(FIELD) || line.match(/^\s*([A-Z]\w*) = \d+/) || [])[1];
    const known = field && own.has(field) && sign !== '-';
    return codeLine(sign, protoWords(line), {
      class: `line ${SIGNS[sign]}${known && field === target ? ' hit' : ''}`,
      'data-field': known && field,
    });
  };
  return make('div', {class: 'pane'}, make('h2', {class: 'side'}, 'Proto'),
    element && make('p', {class: 'where'}, element.file),
    after.length || before ? codeBlock(`Proto of ${name}`, changedOnly(lines, fold), render)
      : make('p', {class: 'none'}, 'It is part of another message, or in no file of this build.'));
};

// One line of a schema: its key leads to the field made from it, its reference to the message made from that.
const schemaLine = (owner, base, target) => (sign, line) => {
  const pointer = base + line.pointer;
  const fields = sign === '-' ? [] : madeFrom(pointer).filter((name) => name.startsWith(`${owner}.`));
  const field = fields.length ? fields[0].slice(owner.length + 1) : '';
  const colon = line.text.search(/:( |$)/);
  const [indent] = line.text.match(/^\s*(?:- )*/);
  let content = [line.text];
  if (line.reference) {
    const made = madeFrom(line.reference.slice(1)).filter((name) => elements.has(name));
    const [root] = rootOf(line.reference.slice(1));
    const to = made.length ? elementLink(made[0]) : root in atlas.schemas ? schemaLink(root) : '';
    if (to) content = [line.text.slice(0, colon + 2), link(to, line.text.slice(colon + 2))];
  } else if (field && colon > 0) {
    content = [indent, link(`${elementLink(owner)}/${encodeURIComponent(field)}`, line.text.slice(indent.length, colon)), line.text.slice(colon)];
  }
  return codeLine(sign, content, {
    class: `line ${SIGNS[sign]}${field && field === target ? ' hit' : ''}`, 'data-field': field || false,
  });
};

const asText = (lines) => lines.map((line) => line.text);
// Differences of two lists of lines that carry more than their text.
const lineDifference = (before, after) => {
  const [old, now] = [before.slice(), after.slice()];
  return difference(asText(before), asText(after)).map(([sign]) => {
    if (sign === '-') return ['-', old.shift()];
    if (sign === ' ') old.shift();
    return [sign, now.shift()];
  });
};

const schemaBlock = (owner, packed, {fold, target}) => {
  const place = placeOf(packed);
  const now = schemaAt(atlas.schemas, place.root, place.rest);
  const then = atlas.earlier && place.root in atlas.earlier ? schemaAt(atlas.earlier, place.root, place.rest) : now;
  const title = make('p', {class: 'where'}, place.root in atlas.schemas ? link(schemaLink(place.root), place.pointer) : place.pointer,
    place.line ? ` · ${place.file.split('/').pop()}:${place.line}` : '');
  if (now === undefined && then === undefined) return [title, make('p', {class: 'none'}, 'Not in the specification itself.')];
  const lines = lineDifference(then === undefined ? [] : yamlLines(then), now === undefined ? [] : yamlLines(now));
  const differs = lines.some(([sign]) => sign !== ' ');
  const shown = differs ? changedOnly(lines, fold) : long(lines, target, place.pointer);
  return [title, codeBlock(`Schema ${place.pointer}`, shown, schemaLine(owner, place.pointer, target))];
};

// A schema that is long and did not change shows its beginning.
const long = (lines, target) => (lines.length > 400 && !target ? [...lines.slice(0, 200), ['…', lines.slice(200)]] : lines);

const schemaPane = (element, options) => {
  const places = element.places.filter((place) => placeOf(place).pointer);
  const seen = new Set();
  const unique = places.filter((place) => !seen.has(placeOf(place).pointer) && seen.add(placeOf(place).pointer));
  const parameters = element.form === 'request' ? parametersOf(element, seen) : [];
  return make('div', {class: 'pane'}, make('h2', {class: 'side'}, 'Specification'),
    unique.length ? null : make('p', {class: 'none'}, 'Not in the specification: the rules add it.'),
    [...unique, ...parameters].map((place) => schemaBlock(element.name, place, options)));
};

// The parameters of a request stand elsewhere than its operation.
const parametersOf = (element, seen) => element.fields.flatMap((field) => fieldPlaces(element, field).slice(0, 1))
  .filter((place) => /^\/components\/parameters\//.test(placeOf(place).root) && !seen.has(placeOf(place).pointer)
    && seen.add(placeOf(place).pointer));

const sideBySide = (element, options = {}) => {
  const before = atlas.before[element.name];
  const isNew = changedNames.has(element.name) && before === undefined && Object.keys(atlas.before).length > 0;
  return make('div', {class: 'sides'}, schemaPane(element, options),
    protoPane(element.name, element.text, before === undefined ? (isNew ? '' : undefined) : before, options));
};

const changedNames = new Set(report.changes.map((entry) => ownerOf(entry.element) || entry.element));

const elementPage = (name, target) => {
  const element = elements.get(name);
  const used = usersOf(name);
  const rules = new Set([...element.rules, ...(element.fields || []).flatMap((field) => atlas.rules[field[3]])]);
  const own = target && (element.fields || []).filter((field) => field[1] === target).map((field) => fieldOf(element, field))[0];
  return [
    make('p', {class: 'crumbs'}, link('#/browse', 'Contents'), ' / ', link(`#/browse/${encodeURIComponent(namespaceOf(element.file))}`, namespaceOf(element.file))),
    make('h1', {class: 'name'}, badge(element.kind, `kind-${element.kind}`), ' ', element.name,
      element.deprecated && badge('deprecated', 'warn')),
    own && fieldNote(element, own),
    element.kind === 'rpc' && rpcFacts(element),
    sideBySide(element, {target}),
    make('div', {class: 'columns'},
      nameList('Used by', used, 'No element of this contract refers to it.'),
      make('section', {}, make('h2', {}, 'Rules that apply'), make('ul', {class: 'plain'},
        [...rules].sort().map((rule) => make('li', {}, link(ruleLink(rule), rule), ' ', prose((atlas.rule_pages[rule] || [''])[0])))))),
  ];
};

const fieldNote = (element, field) => make('p', {class: 'note'}, make('b', {}, field.name), ` = ${field.number}`,
  field.json && ['; in JSON ', code(field.json)], field.deprecated && '; deprecated',
  field.rules.length ? ['; rules ', field.rules.map((rule, at) => [at ? ', ' : '', link(ruleLink(rule), rule)])] : '',
  field.places.slice(0, 1).map((place) => ['; from ', code(placeOf(place).pointer)]));

const rpcFacts = (element) => make('ul', {class: 'plain forms'},
  element.forms.map(([method, path]) => make('li', {}, badge(method, 'method'), ' ', code(path))));

const nameList = (title, names, none) => make('section', {}, make('h2', {}, title),
  names.length ? listed(names, (name) => make('p', {class: 'entry'}, link(elementLink(name), name)), 50)
    : make('p', {class: 'none'}, none));
