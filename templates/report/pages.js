// The other pages: summary, coverage, contents, findings, cost, rules and schemas.
const SEVERITIES = ['error', 'danger', 'warning', 'note'];
const HOW = ['typed', 'dynamic', 'deprecated', 'replaced', 'excluded', 'lost'];

const summaryMore = () => {
  const decisions = report.findings.filter((finding) => finding.severity !== 'note');
  const counts = report.compatibility.changes;
  const kinds = Object.keys(CHANGES).filter((change) => counts[change]);
  return [
    decisions.length ? make('section', {}, make('h2', {}, 'Decisions needed'), findingsTable(decisions.slice(0, 50))) : null,
    make('section', {}, make('h2', {}, 'What changed'), kinds.length
      ? make('ul', {class: 'plain rows'}, kinds.map((change) => make('li', {}, link(`#/changes/${change}`, [badge(CHANGES[change], `change-${change}`), ' ', number.format(counts[change])]))))
      : make('p', {class: 'none'}, 'Nothing changed against what was published.')),
    repeatsSection(),
    make('section', {}, make('h2', {}, 'How the specification is carried'), bar(totals(report.coverage)), legend(totals(report.coverage))),
    versionSection(),
  ];
};

const repeatsSection = () => (report.repeats.length ? make('section', {}, make('h2', {}, 'The same in many messages'),
  table('Changes that are the same in many messages', ['change', 'detail', 'messages', 'example'], report.repeats.map((entry) => [
    badge(CHANGES[entry.change] || entry.change, `change-${entry.change}`), code(entry.detail), number.format(entry.elements.length),
    entry.elements.slice(0, 3).map((name) => make('p', {class: 'entry'}, fieldLink(name)))]), [2])) : null);

const totals = (rows) => {
  const sum = {};
  for (const row of Object.values(rows)) for (const [how, count] of Object.entries(row)) sum[how] = (sum[how] || 0) + count;
  return sum;
};

const percent = (part, whole) => `${(100 * part / Math.max(whole, 1)).toFixed(part && part < whole ? 1 : 0)} %`;

// A bar in shares; what it shows stands beside it in words.
const bar = (row, most) => {
  const total = Object.values(row).reduce((sum, count) => sum + count, 0);
  const width = 1000 * total / (most || total || 1);
  let at = 0;
  return drawn('svg', {class: 'share', viewBox: '0 0 1000 10', preserveAspectRatio: 'none', 'aria-hidden': 'true', focusable: 'false'},
    HOW.filter((how) => row[how]).map((how) => {
      const wide = Math.max(width * row[how] / total, 1.5);
      const piece = drawn('rect', {class: `how-${how}`, x: at.toFixed(2), y: 0, width: wide.toFixed(2), height: 10});
      at += wide;
      return piece;
    }));
};

const legend = (row) => {
  const total = Object.values(row).reduce((sum, count) => sum + count, 0);
  return make('ul', {class: 'legend'}, HOW.filter((how) => row[how]).map((how) =>
    make('li', {}, make('span', {class: `dot how-${how}`, 'aria-hidden': 'true'}), `${number.format(row[how])} ${how} (${percent(row[how], total)})`)));
};

const coveragePage = () => {
  const spaces = Object.entries(report.coverage_by_namespace);
  const size = (row) => Object.values(row).reduce((sum, count) => sum + count, 0);
  const most = Math.max(...spaces.map(([, row]) => size(row)), 1);
  const kinds = Object.entries(report.coverage);
  return [
    make('h1', {}, 'Coverage'),
    make('p', {class: 'lead'}, 'How the protos carry everything in scope. A lost element refuses the build, and so does a dynamic field whose schema states a type.'),
    make('section', {}, make('h2', {}, 'By namespace'), legend(totals(report.coverage_by_namespace)),
      make('ul', {class: 'plain spaces'}, spaces.map(([name, row]) => make('li', {},
        browseLink(name), bar(row, most),
        make('span', {class: 'in-words'}, `${number.format(size(row))}${rest(row)}`))))),
    make('section', {}, make('h2', {}, 'By kind'), table('Coverage by kind', ['kind', ...HOW],
      kinds.map(([kind, row]) => [kind, ...HOW.map((how) => number.format(row[how] || 0))]), [1, 2, 3, 4, 5, 6])),
    dynamicSection(), excludedSection(),
  ];
};

const browseLink = (name) => (spaceNames().has(name) ? link(`#/browse/${encodeURIComponent(name)}`, name) : make('span', {}, name));
const spaceNames = () => new Set([...elements.values()].map((element) => namespaceOf(element.file)));
const rest = (row) => HOW.slice(1).filter((how) => row[how]).map((how) => `, ${number.format(row[how])} ${how}`).join('');

const dynamicSection = () => make('section', {}, make('h2', {}, 'Fields that accept any value'),
  make('p', {}, `${number.format(report.dynamic.dynamic)} of ${counted(report.dynamic.fields, 'field')} (${report.dynamic.percent} %), because the specification leaves them open.`),
  Object.entries(report.dynamic.reasons).map(([reason, {count, fields}]) => later(`${reason}`, count, () =>
    listed(fields, (name) => make('p', {class: 'entry'}, fieldLink(name))))));

const fieldLink = (name) => {
  const at = name.indexOf('.');
  return elements.has(name.slice(0, at)) ? link(`${elementLink(name.slice(0, at))}/${encodeURIComponent(name.slice(at + 1))}`, name) : make('span', {}, name);
};

// A folded part that is made when it is opened.
const later = (title, count, content) => {
  const details = make('details', {class: 'later', on: {toggle: () => {
    if (details.open && details.childElementCount === 1) details.append(content());
  }}}, make('summary', {}, title, ' ', make('span', {class: 'count'}, number.format(count))));
  return details;
};

const excludedSection = () => {
  const rules = Object.entries(report.excluded_by_rule);
  return rules.length ? make('section', {}, make('h2', {}, 'Excluded by rule'), rules.map(([rule, count]) => later(rule, count, () =>
    make('div', {}, link(ruleLink(rule), 'the rule'), listed(report.exclusions.filter((entry) => entry.rule === rule),
      (entry) => make('p', {class: 'entry'}, entry.reason, ' ', make('span', {class: 'place'}, entry.place))))))) : null;
};

const findingsTable = (findings) => table('Findings', ['severity', 'what', 'where', 'remedy'], findings.map((finding) =>
  [badge(finding.severity, `severity-${finding.severity}`), [make('p', {}, prose(finding.message)), code(finding.code)], make('span', {class: 'place'}, finding.place), finding.hint]));

const findingsPage = () => {
  const codes = new Map();
  for (const finding of report.findings) {
    const key = `${SEVERITIES.indexOf(finding.severity)} ${finding.code}`;
    if (!codes.has(key)) codes.set(key, []);
    codes.get(key).push(finding);
  }
  return [make('h1', {}, 'Findings'),
    codes.size ? null : make('p', {class: 'lead'}, 'There are none.'),
    [...codes].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, found]) => {
      const part = later([badge(found[0].severity, `severity-${found[0].severity}`), ' ', code(found[0].code)], found.length,
        () => listed(found, (finding) => make('div', {class: 'entry'}, make('p', {}, prose(finding.message)), make('p', {class: 'place'}, finding.place), finding.hint && make('p', {class: 'hint'}, finding.hint))));
      if (found[0].severity !== 'note') {
        part.open = true;
      }
      return part;
    })];
};

const browsePage = (space) => {
  const spaces = new Map();
  for (const element of elements.values()) {
    const name = namespaceOf(element.file);
    if (!spaces.has(name)) spaces.set(name, []);
    spaces.get(name).push(element);
  }
  if (!space || !spaces.has(space)) {
    return [make('h1', {}, 'Contents'), make('ul', {class: 'plain grid'}, [...spaces].sort().map(([name, found]) => make('li', {},
      link(`#/browse/${encodeURIComponent(name)}`, name), ' ', make('span', {class: 'detail'}, ['rpc', 'message', 'enum'].map((kind) =>
        [found.filter((element) => element.kind === kind).length, kind]).filter(([count]) => count).map(([count, kind]) => counted(count, kind)).join(', '))))),
    make('h2', {}, 'Rules'), ruleList()];
  }
  const found = spaces.get(space);
  return [make('p', {class: 'crumbs'}, link('#/browse', 'Contents')), make('h1', {}, space),
    ['rpc', 'message', 'enum'].map((kind) => [kind, found.filter((element) => element.kind === kind)]).filter(([, those]) => those.length)
      .map(([kind, those]) => make('section', {}, make('h2', {}, `${{rpc: 'Rpcs', message: 'Messages', enum: 'Enums'}[kind]} `, make('span', {class: 'count'}, number.format(those.length))),
        make('div', {class: 'names'}, listed(those, (element) => make('p', {class: 'entry'}, link(elementLink(element.name), element.kind === 'rpc' ? element.name.split('/')[1] : element.name)), 300))))];
};

const ruleList = () => make('ul', {class: 'plain'}, Object.entries(atlas.rule_pages).map(([rule, [title]]) => make('li', {}, link(ruleLink(rule), rule), ' ', prose(title))));

const rulePage = (rule) => {
  const made = [];
  for (const element of elements.values()) {
    if (element.rules.includes(rule)) made.push([element.name, link(elementLink(element.name), element.name)]);
    for (const field of element.fields || []) {
      if (atlas.rules[field[3]].includes(rule)) made.push([`${element.name}.${field[1]}`, fieldLink(`${element.name}.${field[1]}`)]);
    }
  }
  return [make('p', {class: 'crumbs'}, link('#/browse', 'Rules')), make('h1', {class: 'name'}, badge('rule', 'kind-rule'), ' ', rule),
    make('p', {class: 'lead'}, prose((atlas.rule_pages[rule] || [''])[0])), make('p', {}, 'Its page in the repository is ', code((atlas.rule_pages[rule] || ['', ''])[1]), '.'),
    make('h2', {}, 'Elements that it applies to ', make('span', {class: 'count'}, number.format(made.length))),
    listed(made, ([, shown]) => make('p', {class: 'entry'}, shown))];
};

const schemaPage = (pointer) => {
  const [root, below] = rootOf(pointer);
  const made = madeFrom(pointer);
  return [make('p', {class: 'crumbs'}, link('#/browse', 'Contents')), make('h1', {class: 'name'}, badge('schema', 'kind-schema'), ' ', pointer.split('/').pop().replace(/~1/g, '/')),
    schemaAt(atlas.schemas, root, below) === undefined ? make('p', {class: 'none'}, 'This part of the specification was not converted.')
      : make('div', {class: 'pane'}, make('h2', {class: 'side'}, 'Specification'), schemaBlock('', [0, atlas.roots.indexOf(root) >= 0 ? atlas.roots.indexOf(root) : atlas.roots.push(root) - 1, below, 0], {})),
    make('h2', {}, 'Elements of the contract'), made.length ? make('ul', {class: 'plain'}, made.slice(0, 200).map((name) => make('li', {}, elements.has(name) ? link(elementLink(name), name) : fieldLink(name))))
      : make('p', {class: 'none'}, 'It has no message of its own: its parts belong to the messages that refer to it.')];
};

const bytes = (count) => (count < 10000 ? `${number.format(count)} B` : `${number.format(Math.round(count / 1000))} kB`);
const seconds = (value) => `${value.toFixed(2)} s`;

const costPage = () => {
  const stages = Object.entries(report.timings);
  const longest = Math.max(...stages.map(([, value]) => value), 0.001);
  const history = [...report.history, {verdict: report.verdict, counts: report.counts, sizes: report.sizes, timings: report.timings, sha256: report.spec.sha256}];
  const whole = (entry) => Object.values(entry.timings).reduce((sum, value) => sum + value, 0);
  return [make('h1', {}, 'Size and time'),
    make('section', {}, make('h2', {}, 'Bytes'), table('Bytes', ['what', 'size'],
      Object.entries(report.sizes).map(([name, count]) => [name.replace('_', ' '), name === 'proto_files' ? number.format(count) : bytes(count)]), [1])),
    make('section', {}, make('h2', {}, 'Seconds by stage'), make('ul', {class: 'plain spaces'}, stages.map(([stage, value]) => make('li', {}, make('span', {}, stage),
      drawn('svg', {class: 'share', viewBox: '0 0 1000 10', preserveAspectRatio: 'none', 'aria-hidden': 'true', focusable: 'false'}, drawn('rect', {class: 'how-typed', x: 0, y: 0, width: Math.max(1000 * value / longest, 1.5), height: 10})),
      make('span', {class: 'in-words'}, seconds(value)))))),
    make('section', {}, make('h2', {}, 'Builds, the newest last'), table('Builds of this profile', ['specification', 'verdict', 'messages', 'fields', 'rpcs', 'protos', 'seconds'],
      history.map((entry) => [code(entry.sha256.slice(0, 12)), entry.verdict, number.format(entry.counts.messages), number.format(entry.counts.fields), number.format(entry.counts.rpcs), bytes(entry.sizes.protos), whole(entry).toFixed(1)]), [2, 3, 4, 5, 6]))];
};

// `all`, or what a version of the API lacks of a release of the protos.
const cellText = ({rpcs, of, new: newer, gone}) => [
  rpcs === of ? '' : `${rpcs} of ${of} rpcs`, newer ? `${number.format(newer)} newer` : '', gone ? `${number.format(gone)} gone` : '',
].filter(Boolean).join(', ') || 'all';

const versionSection = () => (report.matrix.versions.length ? make('section', {}, make('h2', {}, 'Supported versions of the API'),
  make('p', {class: 'lead small'}, 'Rows are versions of the API, columns are releases of the protos. "all" means that the version serves the whole release; otherwise the cell counts what the version does not have yet (newer) or no longer has (gone).'),
  table('Releases of the protos by versions of the API', ['API', ...report.matrix.releases],
    report.matrix.versions.map((row) => [row.version, ...row.cells.map(cellText)])),
  report.matrix.servers.map(({version, answered, not: left}) => make('p', {}, `A server of ${version} was asked over gRPC: it answers ${answered.length} of ${answered.length + left.length} rpcs${left.length ? `, not ${left.join(', ')}` : ''}.`))) : null);
