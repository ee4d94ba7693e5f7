// What changed, message by message, and what each change is.
const CHANGES = {
  accepted: 'break accepted', 'type-changed': 'type changed', deprecated: 'deprecated', moved: 'moved', renamed: 'renamed', restored: 'restored', added: 'added',
};

const changeGroups = () => {
  const groups = new Map();
  for (const entry of report.changes) {
    const owner = ownerOf(entry.element) || entry.element.split('.')[0];
    if (!groups.has(owner)) groups.set(owner, []);
    groups.get(owner).push(entry);
  }
  const weight = (entries) => Math.min(...entries.map((entry) => {
    const at = Object.keys(CHANGES).indexOf(entry.change);
    return at < 0 ? 0 : at;
  }));
  return [...groups].sort(([one, first], [other, second]) => weight(first) - weight(second) || (one < other ? -1 : 1));
};

const changeCounts = (entries) => {
  const counts = new Map();
  for (const entry of entries) counts.set(entry.change, (counts.get(entry.change) || 0) + 1);
  return [...counts].map(([change, count]) =>
    badge(entries.length === 1 ? CHANGES[change] || change : `${number.format(count)} ${CHANGES[change] || change}`, `change-${change}`));
};

const changeCard = ([owner, entries], open) => {
  const element = elements.get(owner);
  const whole = entries.some((entry) => entry.element === owner && entry.change === 'added');
  const parts = whole ? entries.filter((entry) => entry.element === owner) : entries;
  const body = make('div', {class: 'card-body'});
  const fill = () => {
    if (body.childElementCount) return;
    body.append(make('ul', {class: 'plain parts'}, parts.slice(0, 200).map((entry) => make('li', {},
      badge(CHANGES[entry.change] || entry.change, `change-${entry.change}`), ' ',
      code(entry.element === owner ? owner : entry.element.slice(owner.length + 1)), ' ',
      make('span', {class: 'detail'}, entry.detail), ' ', make('span', {class: 'place'}, entry.place)))));
    if (element) body.append(sideBySide(element, {fold: !whole}));
  };
  const card = make('details', {class: 'card', open, on: {toggle: () => card.open && fill()}},
    make('summary', {}, make('span', {class: 'card-name'}, owner),
      make('span', {class: 'card-kind'}, element ? element.kind : ''),
      changeCounts(whole ? parts : entries),
      make('span', {class: 'card-file'}, element ? namespaceOf(element.file) : '')), body);
  if (open) fill();
  return card;
};

const changesPage = (kind) => {
  const groups = changeGroups();
  const kinds = Object.keys(CHANGES).filter((change) => report.changes.some((entry) => entry.change === change));
  const chosen = kind ? groups.map(([owner, entries]) => [owner, entries.filter((entry) => entry.change === kind)]).filter(([, entries]) => entries.length) : groups;
  return [
    make('h1', {}, 'Changes'),
    groups.length === 0 ? make('p', {class: 'lead'}, 'Nothing changed against what was published.') : [
      make('p', {class: 'lead'}, `${counted(Object.values(report.compatibility.changes).reduce((sum, count) => sum + count, 0), 'change')} in ${counted(groups.length, 'element')}, the weightiest first. `,
        atlas.earlier ? 'Lines with + are new, lines with − were removed.'
          : Object.keys(atlas.before).length ? 'The earlier specification is not available; the protos are shown before and after.'
            : 'This is the first build.'),
      make('p', {class: 'chips'}, link('#/changes', 'all', {'aria-current': kind ? false : 'true'}),
        kinds.map((change) => link(`#/changes/${change}`, CHANGES[change], {'aria-current': change === kind ? 'true' : false}))),
      listed(chosen, (group) => changeCard(group, chosen.length <= 3), 60),
    ],
  ];
};
