// Elements are made here and nowhere else: every text is set as text, so nothing in it can be markup.
const make = (tag, attributes, ...children) => {
  const node = document.createElement(tag);
  return filled(node, attributes, children);
};

const drawn = (tag, attributes, ...children) => {
  const node = document.createElementNS('http://www.w3.org/2000/svg', tag);
  return filled(node, attributes, children);
};

const filled = (node, attributes, children) => {
  for (const [name, value] of Object.entries(attributes || {})) {
    if (name === 'on') {
      for (const [event, listener] of Object.entries(value)) node.addEventListener(event, listener);
    } else if (value !== false && value !== null && value !== undefined) {
      node.setAttribute(name, value === true ? '' : value);
    }
  }
  node.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false));
  return node;
};

const number = new Intl.NumberFormat('en');
const counted = (count, one, many) => `${number.format(count)} ${count === 1 ? one : many || `${one}s`}`;
const link = (target, text, attributes) => make('a', {href: target, ...attributes}, text);
const code = (text, attributes) => make('code', attributes, text);
// Text in which backticks mark code, as rules and findings have it.
const prose = (text) => text.split('`').map((part, at) => (at % 2 ? code(part) : part));
const badge = (text, kind) => make('span', {class: `badge ${kind || ''}`}, text);

// A table that scrolls by itself where it is wider than the screen.
const table = (caption, heads, rows, numeric = []) =>
  make('div', {class: 'scroll', tabindex: '0', role: 'region', 'aria-label': caption},
    make('table', {},
      make('caption', {class: 'unseen'}, caption),
      make('thead', {}, make('tr', {}, heads.map((head, index) =>
        make('th', {scope: 'col', class: numeric.includes(index) && 'number'}, head)))),
      make('tbody', {}, rows.map((row) => make('tr', {}, row.map((cell, index) =>
        make(index ? 'td' : 'th', {scope: !index && 'row', class: numeric.includes(index) && 'number'}, cell)))))));

// Some of many, and a button for the next ones.
const listed = (items, render, step = 100) => {
  const list = make('div', {class: 'listed'});
  let shown = 0;
  const more = () => {
    const next = items.slice(shown, shown + step).map(render);
    shown += next.length;
    button.remove();
    list.append(...next);
    if (shown < items.length) {
      button.textContent = `Show ${Math.min(step, items.length - shown)} more of ${number.format(items.length - shown)}`;
      list.append(button);
    }
    return next;
  };
  const button = make('button', {type: 'button', class: 'more', on: {click: () => {
    const first = more()[0];
    const target = first && (first.matches('a,summary') ? first : first.querySelector('summary,a'));
    if (target) target.focus();
  }}});
  more();
  return list;
};
