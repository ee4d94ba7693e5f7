// A schema as YAML, line by line; a line knows the pointer that it stands for and the reference that it holds.
const PLAIN = /^[A-Za-z_$/][\w .,()/$-]*$/;
const WORDS = /^(null|true|false|yes|no|on|off|y|n)$/i;

const scalar = (value) => {
  if (typeof value !== 'string') return JSON.stringify(value);
  return PLAIN.test(value) && !WORDS.test(value) && !value.endsWith(' ') ? value : JSON.stringify(value);
};

const isEmpty = (value) => value !== null && typeof value === 'object' && Object.keys(value).length === 0;
const isFlat = (value) => value === null || typeof value !== 'object' || isEmpty(value);

const yamlLines = (value, pointer = '', depth = 0, lines = []) => {
  if (isFlat(value)) {
    lines.push({text: `${'  '.repeat(depth)}${scalar(value)}`, pointer});
  } else if (Array.isArray(value)) {
    value.forEach((item, at) => yamlItem(item, `${pointer}/${at}`, depth, lines));
  } else {
    for (const [key, item] of Object.entries(value)) {
      const below = `${pointer}/${escaped(key)}`;
      const head = `${'  '.repeat(depth)}${scalar(key)}:`;
      if (isFlat(item)) {
        lines.push({text: `${head} ${scalar(item)}`, pointer: below, reference: key === '$ref' && typeof item === 'string' ? item : ''});
      } else {
        lines.push({text: head, pointer: below});
        yamlLines(item, below, depth + 1, lines);
      }
    }
  }
  return lines;
};

const yamlItem = (item, pointer, depth, lines) => {
  const first = lines.length;
  yamlLines(item, pointer, depth + 1, lines);
  const indent = '  '.repeat(depth);
  lines[first].text = `${indent}- ${lines[first].text.slice(indent.length + 2)}`;
};

// What stands at a place, if the report has it.
const schemaAt = (schemas, root, rest) => {
  let value = schemas[root];
  for (const token of rest.split('/').slice(1)) {
    const key = token.replace(/~1/g, '/').replace(/~0/g, '~');
    if (value === null || typeof value !== 'object' || !(key in value)) return undefined;
    value = value[key];
  }
  return value;
};

const rootOf = (pointer) => {
  const parts = pointer.split('/');
  return [parts.slice(0, 4).join('/'), parts.length > 4 ? `/${parts.slice(4).join('/')}` : ''];
};
