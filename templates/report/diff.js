// Lines of before and after: what both have, what is gone, what is new.
const LARGEST = 4000000;

const difference = (before, after) => {
  let start = 0;
  while (start < before.length && start < after.length && before[start] === after[start]) start += 1;
  let end = 0;
  while (end < before.length - start && end < after.length - start
    && before[before.length - 1 - end] === after[after.length - 1 - end]) end += 1;
  const lines = before.slice(0, start).map((text) => [' ', text]);
  lines.push(...middle(before.slice(start, before.length - end), after.slice(start, after.length - end)));
  lines.push(...after.slice(after.length - end).map((text) => [' ', text]));
  return lines;
};

// The longest common subsequence; of very long pieces, all of before and then all of after.
const middle = (before, after) => {
  if (before.length * after.length > LARGEST) {
    return [...before.map((text) => ['-', text]), ...after.map((text) => ['+', text])];
  }
  const width = after.length + 1;
  const longest = new Uint32Array((before.length + 1) * width);
  for (let one = before.length - 1; one >= 0; one -= 1) {
    for (let other = after.length - 1; other >= 0; other -= 1) {
      longest[one * width + other] = before[one] === after[other]
        ? longest[(one + 1) * width + other + 1] + 1
        : Math.max(longest[(one + 1) * width + other], longest[one * width + other + 1]);
    }
  }
  const lines = [];
  let one = 0;
  let other = 0;
  while (one < before.length || other < after.length) {
    if (one < before.length && other < after.length && before[one] === after[other]) {
      lines.push([' ', before[one]]);
      one += 1;
      other += 1;
    } else if (other >= after.length || (one < before.length
      && longest[(one + 1) * width + other] >= longest[one * width + other + 1])) {
      lines.push(['-', before[one]]);
      one += 1;
    } else {
      lines.push(['+', after[other]]);
      other += 1;
    }
  }
  return lines;
};

// The lines with changes, three around each; runs of others are folded to their number.
const folded = (lines, around = 3) => {
  const near = lines.map(() => false);
  lines.forEach(([sign], at) => {
    if (sign !== ' ') for (let i = Math.max(0, at - around); i <= Math.min(lines.length - 1, at + around); i += 1) near[i] = true;
  });
  const found = [];
  for (let at = 0; at < lines.length;) {
    if (near[at]) {
      found.push(lines[at]);
      at += 1;
      continue;
    }
    const start = at;
    while (at < lines.length && !near[at]) at += 1;
    if (at - start > 4) found.push(['…', lines.slice(start, at)]);
    else found.push(...lines.slice(start, at));
  }
  return found;
};
