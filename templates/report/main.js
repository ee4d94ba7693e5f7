// Which page an address stands for; pages are made when they are asked for.
const summary = document.getElementById('summary');
const main = document.getElementById('main');

const PAGES = {
  '': () => [summary],
  changes: ([kind]) => changesPage(kind),
  coverage: () => coveragePage(),
  browse: ([space]) => browsePage(space),
  findings: () => findingsPage(),
  cost: () => costPage(),
  rule: ([rule]) => rulePage(rule),
  schema: ([pointer]) => schemaPage(pointer),
  e: ([name, field]) => (elements.has(name) ? elementPage(name, field) : [make('h1', {}, 'Not here'), make('p', {}, 'The contract has no ', code(name), '.')]),
};
const TABS = {'': 'summary', e: 'browse', rule: 'browse', schema: 'browse'};

const decoded = (text) => {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
};

const show = (moved) => {
  const [page, ...rest] = location.hash.replace(/^#\/?/, '').split('/').map(decoded);
  const known = Object.hasOwn(PAGES, page) ? page : '';
  main.replaceChildren(...[PAGES[known](rest)].flat(Infinity).filter(Boolean));
  for (const tab of document.querySelectorAll('.tabs a')) {
    if (tab.dataset.page === (TABS[known] ?? known)) tab.setAttribute('aria-current', 'page');
    else tab.removeAttribute('aria-current');
  }
  const title = main.querySelector('h1');
  document.title = `${title ? title.textContent.trim() : report.profile} · ${report.profile} · spec2proto`;
  if (moved) {
    window.scrollTo(0, 0);
    main.focus({preventScroll: true});
  }
  const blocks = new Set();
  for (const hit of main.querySelectorAll('.hit')) {
    const block = hit.closest('.code');
    if (!blocks.has(block)) block.scrollTop = Math.max(0, hit.offsetTop - block.clientHeight / 2);
    blocks.add(block);
  }
};

// The line of a field and the line of its property show each other.
document.addEventListener('mouseover', (event) => {
  const line = event.target.closest && event.target.closest('.line[data-field]');
  for (const other of document.querySelectorAll('.line.pair')) other.classList.remove('pair');
  if (!line) return;
  const sides = line.closest('.sides');
  if (!sides) return;
  for (const other of sides.querySelectorAll('.line[data-field]')) {
    if (other.dataset.field === line.dataset.field) other.classList.add('pair');
  }
});

document.querySelector('.skip').addEventListener('click', (event) => {
  event.preventDefault();
  main.focus();
});
document.getElementById('summary-more').replaceChildren(...[summaryMore()].flat(Infinity).filter(Boolean));
searchBox();
window.addEventListener('hashchange', () => show(true));
show(false);
// Nobody waits for the index of the search: it is made while the page is looked at.
(window.requestIdleCallback || setTimeout)(() => indexed());
