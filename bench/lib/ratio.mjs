// Compares two measurements that run in turns (A B A B …), so that a change in the machine's speed
// affects both.

export const median = (values) => {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
};

/** Returns the 95 % confidence interval of the median: two of the values, by the binomial distribution. */
function intervalOf(values) {
  const sorted = [...values].sort((a, b) => a - b);
  const last = sorted.length - 1;
  let rank = 0;
  // The probability that at most `rank` values lie below the median.
  let probability = 0.5 ** sorted.length;
  let combinations = 1;
  for (;;) {
    combinations *= (sorted.length - rank) / (rank + 1);
    probability += combinations * 0.5 ** sorted.length;
    if (2 * probability > 0.05 || rank + 1 >= last - rank) break;
    rank += 1;
  }
  return { low: sorted[rank], high: sorted[last - rank] };
}

/** Measures the ceiling and ours in turns. Returns the medians, and the median ratio of the pairs. */
export async function compare({ ours, ceiling, runs = 7 }) {
  const pairs = [];
  for (let run = 0; run < runs; run += 1) {
    const bare = await ceiling();
    pairs.push({ ceiling: bare, ours: await ours() });
  }
  const ratios = pairs.map((pair) => pair.ours / pair.ceiling);
  return {
    runs,
    ceiling: median(pairs.map((pair) => pair.ceiling)),
    ours: median(pairs.map((pair) => pair.ours)),
    ratio: median(ratios),
    ...intervalOf(ratios),
  };
}

let missed = 0;

function print(name, held, text) {
  if (!held) missed += 1;
  console.log(`${held ? 'held  ' : 'MISSED'}  ${name}: ${text}`);
}

/** Prints a ratio. It misses its bound if the whole interval lies below it. */
export function report(name, result, bound, unit) {
  print(name, result.high >= bound, described(result, `at least ${bound}×`, unit));
}

/** Prints a ratio. It misses its bound if the whole interval lies above it. */
export function reportAtMost(name, result, bound, unit) {
  print(name, result.low <= bound, described(result, `at most ${bound}×`, unit));
}

function described({ ratio, low, high, ours, ceiling, runs }, bound, unit) {
  const number = (value) => Math.round(value).toLocaleString('en');
  return `${ratio.toFixed(2)}× (${low.toFixed(2)} to ${high.toFixed(2)}, ${runs} pairs; bound ${bound}); ${number(ours)} against ${number(ceiling)} ${unit}`;
}

/** Prints a figure that misses its bound above it. */
export function reportUpper(name, value, bound, detail) {
  print(name, value <= bound, `${value.toFixed(2)} (at most ${bound}); ${detail}`);
}

/** Prints a figure that misses its bound below it. */
export function reportLower(name, value, bound, detail) {
  print(name, value >= bound, `${Math.round(value)} (at least ${bound}); ${detail}`);
}

export const missedBounds = () => missed;
