import { readdirSync, readFileSync } from 'node:fs';

// Linux counts processor time in hundredths of a second, on every architecture that Node runs on.
const msPerTick = 10;

/**
 * What processes have used of the processor so far, in milliseconds; NaN where there is no /proc. A
 * machine that does other things as well makes work take longer, and hardly makes it more work.
 */
export function processorTime({ nodes, postgres }) {
  const usedBy = nodes.map(({ pid }) => ({
    main: read(`/proc/${pid}/task/${pid}/stat`).own,
    all: read(`/proc/${pid}/stat`).own,
  }));
  const main = sum(usedBy.map((used) => used.main));
  return {
    mainThreads: main,
    otherThreads: sum(usedBy.map((used) => used.all)) - main,
    postgres: postgres ? familyOf(postgres.pid) : 0,
  };
}

/** What was used between two readings for each of so many things, in microseconds. */
export function microsecondsEach(before, after, count) {
  return Object.fromEntries(
    Object.keys(after).map((who) => [who, ((after[who] - before[who]) * 1000) / count]),
  );
}

export const parentOf = (pid) => read(`/proc/${pid}/stat`).parent;

/** A process and its children, those that have ended included. */
function familyOf(pid) {
  const parent = read(`/proc/${pid}/stat`);
  const children = processIds().map((id) => read(`/proc/${id}/stat`));
  const alive = children.filter((child) => child.parent === pid).map((child) => child.own);
  return parent.own + parent.ofEnded + sum(alive);
}

function processIds() {
  try {
    return readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  } catch (error) {
    if (error.code !== 'ENOENT') throw error;
    return [];
  }
}

function read(path) {
  let text;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    // There is no /proc, or the process has ended since it was listed.
    if (error.code !== 'ENOENT' && error.code !== 'ESRCH') throw error;
    return { parent: undefined, own: Number.NaN, ofEnded: Number.NaN };
  }
  // The name, in brackets, may hold anything; proc_pid_stat(5) counts fields from 1.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  const field = (number) => Number(fields[number - 3]);
  return {
    parent: field(4),
    own: (field(14) + field(15)) * msPerTick,
    ofEnded: (field(16) + field(17)) * msPerTick,
  };
}

function sum(values) {
  return values.reduce((total, value) => total + value, 0);
}
