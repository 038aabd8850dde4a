// Compares two measurements that run in turns (A B A B …), so that a change in the machine's speed
// affects both.

export const median = (values) => {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
};

/** Measures the ceiling and ours in turns. Returns the medians and the median ratio of the pairs. */
export async function compare({ ours, ceiling, runs = 7 }) {
  const pairs = [];
  for (let run = 0; run < runs; run += 1) {
    const bare = await ceiling();
    pairs.push({ ceiling: bare, ours: await ours() });
  }
  return {
    runs,
    ceiling: median(pairs.map((pair) => pair.ceiling)),
    ours: median(pairs.map((pair) => pair.ours)),
    ratio: median(pairs.map((pair) => pair.ours / pair.ceiling)),
    worst: Math.min(...pairs.map((pair) => pair.ours / pair.ceiling)),
    best: Math.max(...pairs.map((pair) => pair.ours / pair.ceiling)),
  };
}

let missed = 0;

/** Prints a result and counts it as missed if its ratio is below the bound. */
export function report(name, result, bound, unit) {
  const held = result.ratio >= bound;
  if (!held) missed += 1;
  console.log(`${held ? 'held  ' : 'MISSED'}  ${name}: ${described(result, bound, unit)}`);
}

/** Prints a result that this machine cannot compare with the bound, and the reason. */
export function reportWithoutVerdict(name, result, bound, unit, reason) {
  console.log(`------  ${name}: ${described(result, bound, unit)}; no verdict: ${reason}`);
}

function described({ ratio, worst, best, ours, ceiling, runs }, bound, unit) {
  const number = (value) => Math.round(value).toLocaleString('en');
  return `${ratio.toFixed(2)}× of the ceiling (bound ${bound}×; ${worst.toFixed(2)} to ${best.toFixed(2)} in ${runs} runs); ${number(ours)} against ${number(ceiling)} ${unit}`;
}

/** Prints a figure and counts it as missed if it is above the bound. */
export function reportUpper(name, value, bound, detail) {
  const held = value <= bound;
  if (!held) missed += 1;
  console.log(
    `${held ? 'held  ' : 'MISSED'}  ${name}: ${value.toFixed(2)} (bound ${bound}); ${detail}`,
  );
}

export const missedBounds = () => missed;
