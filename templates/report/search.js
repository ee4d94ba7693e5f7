// Search over everything: one list of lower-case texts, and a rank for how well each fits.
const MOST = 40;
let index = null;

const indexed = () => {
  if (index) return index;
  index = [];
  const add = (kind, title, detail, target, also) => {
    const name = title.toLowerCase();
    const own = name.slice(Math.max(name.lastIndexOf('.'), name.lastIndexOf('/')) + 1);
    index.push({kind, title, detail, target, name, own, text: `${name} ${also.toLowerCase()}`});
  };
  for (const element of elements.values()) {
    const target = elementLink(element.name);
    const pointers = element.places.map((place) => placeOf(place).pointer).join(' ');
    if (element.kind === 'rpc') {
      const forms = element.forms.map(([method, path]) => `${method} ${path}`);
      add('rpc', element.name, forms[0] || element.group, target, `${element.group} ${forms.join(' ')}`);
    } else {
      add(element.kind, element.name, pointers || element.file, target, pointers);
    }
    for (const [number, name, json] of element.fields || []) {
      const title = `${element.name}.${name}`;
      add('field', title, json ? `${number} · JSON ${json}` : String(number), `${target}/${encodeURIComponent(name)}`, json || '');
    }
    for (const [number, name, texts] of element.values || []) {
      add('value', `${element.name}.${name}`, texts.length ? `${number} · JSON ${texts.join(', ')}` : String(number),
        `${target}/${encodeURIComponent(name)}`, texts.join(' '));
    }
  }
  for (const [rule, [title]] of Object.entries(atlas.rule_pages)) add('rule', rule, title, ruleLink(rule), title);
  return index;
};

const KINDS = {rpc: 0, message: 1, enum: 2, rule: 3, field: 4, value: 5};
// Smaller is better; the part after the last dot counts like the whole.
const rank = ({name, own, kind}, query) => {
  if (name === query || own === query) return KINDS[kind];
  if (name.startsWith(query) || own.startsWith(query)) return 10 + KINDS[kind];
  return (name.includes(query) ? 20 : 30) + KINDS[kind];
};

const search = (text) => {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  const query = words.join(' ');
  const ranks = Array.from({length: 40}, () => []);
  let total = 0;
  for (const entry of words.length ? indexed() : []) {
    if (words.every((word) => entry.text.includes(word))) {
      ranks[rank(entry, query)].push(entry);
      total += 1;
    }
  }
  // Only the ranks that are shown are sorted.
  const best = [];
  for (const found of ranks) {
    if (best.length >= MOST) break;
    found.sort((one, other) => one.title.length - other.title.length || (one.title < other.title ? -1 : 1));
    best.push(...found.slice(0, MOST - best.length));
  }
  return {total, best};
};

// The text with each word that was searched for marked in it.
const marked = (text, words) => {
  const lower = text.toLowerCase();
  const word = words.find((candidate) => lower.includes(candidate));
  if (!word || lower.length !== text.length) return [text];
  const at = lower.indexOf(word);
  return [text.slice(0, at), make('mark', {}, text.slice(at, at + word.length)), text.slice(at + word.length)];
};

const searchBox = () => {
  const input = document.getElementById('query');
  const box = document.getElementById('found');
  let active = -1;
  const options = () => [...box.querySelectorAll('[role=option]:not([aria-disabled])')];
  const close = () => {
    box.hidden = true;
    active = -1;
    input.setAttribute('aria-expanded', 'false');
    input.removeAttribute('aria-activedescendant');
  };
  const choose = (next) => {
    const all = options();
    if (!all.length) return;
    active = (next + all.length) % all.length;
    all.forEach((option, at) => option.setAttribute('aria-selected', String(at === active)));
    all[active].scrollIntoView({block: 'nearest'});
    input.setAttribute('aria-activedescendant', all[active].id);
  };
  const go = (entry) => {
    close();
    input.value = '';
    location.hash = entry.target;
  };
  const show = () => {
    const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
    const {total, best} = search(input.value);
    document.getElementById('found-count').textContent = words.length ? counted(total, 'result') : '';
    box.replaceChildren(...best.map((entry, at) =>
      make('div', {id: `found-${at}`, role: 'option', 'aria-selected': 'false', on: {mousedown: (event) => {
        event.preventDefault();
        go(entry);
      }}},
      make('span', {class: `kind kind-${entry.kind}`}, entry.kind),
      make('span', {class: 'title'}, marked(entry.title, words)),
      make('span', {class: 'detail'}, marked(entry.detail, words)))));
    if (words.length && total === 0) box.append(make('div', {class: 'none', role: 'option', 'aria-disabled': 'true', 'aria-selected': 'false'}, 'No name, path or place matches.'));
    if (total > best.length) box.append(make('div', {class: 'none', role: 'option', 'aria-disabled': 'true', 'aria-selected': 'false'}, `${number.format(total - best.length)} more: write more of the name`));
    box.hidden = !words.length;
    input.setAttribute('aria-expanded', String(!box.hidden));
    active = -1;
    input.removeAttribute('aria-activedescendant');
    if (best.length) choose(0);
    box.entries = best;
  };
  input.addEventListener('input', show);
  input.addEventListener('focus', () => input.value && show());
  input.addEventListener('blur', close);
  input.addEventListener('keydown', (event) => {
    if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
      event.preventDefault();
      choose(active + (event.key === 'ArrowDown' ? 1 : -1));
    } else if (event.key === 'Enter' && box.entries && box.entries[active]) {
      event.preventDefault();
      go(box.entries[active]);
    } else if (event.key === 'Escape') {
      input.value = '';
      close();
    }
  });
  document.addEventListener('keydown', (event) => {
    if (event.key === '/' && !/^(INPUT|TEXTAREA)$/.test(document.activeElement.tagName)) {
      event.preventDefault();
      input.focus();
    }
  });
};
