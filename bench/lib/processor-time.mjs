import { readdirSync, readFileSync } from 'node:fs';

// Linux counts processor time in hundredths of a second, on every architecture that Node runs on.
const msPerTick = 10;

/**
 * Returns the processor time that processes have used so far, in milliseconds; NaN on systems without
 * /proc. Unlike elapsed time, it hardly depends on other load on the machine.
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

/** Returns the processor time between two readings, divided by `count`, in microseconds. */
export function microsecondsEach(before, after, count) {
  return Object.fromEntries(
    Object.keys(after).map((part) => [part, ((after[part] - before[part]) * 1000) / count]),
  );
}

export const parentOf = (pid) => read(`/proc/${pid}/stat`).parent;

/** Adds up the times of a process and its children, including the children that have exited. */
function familyOf(pid) {
  const parent = read(`/proc/${pid}/stat`);
  const alive = childrenOf(pid).map((id) => read(`/proc/${id}/stat`).own);
  return parent.own + parent.ofEnded + sum(alive.filter((own) => !Number.isNaN(own)));
}

/** Returns the ids of a process's children; none on systems without /proc. */
export function childrenOf(pid) {
  return processIds()
    .filter((id) => parentOf(id) === pid)
    .map(Number);
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
    // There is no /proc, or the process has exited since it was listed.
    if (error.code !== 'ENOENT' && error.code !== 'ESRCH') throw error;
    return { parent: undefined, own: Number.NaN, ofEnded: Number.NaN };
  }
  // The name, in parentheses, may contain any character. proc_pid_stat(5) counts fields from 1.
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
