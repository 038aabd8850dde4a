/**
 * Ranks from 1 to `count` whose probability falls with a power of the rank, without a table of them:
 * rejection-inversion (Hörmann and Derflinger, 1996).
 */
export function zipfRanks(count, exponent, random) {
  const integral = (x) => {
    const log = Math.log(x);
    return expm1By((1 - exponent) * log) * log;
  };
  const inverse = (y) => Math.exp(log1pBy(Math.max(-1, y * (1 - exponent))) * y);
  const height = (x) => Math.exp(-exponent * Math.log(x));
  const first = integral(1.5) - 1;
  const last = integral(count + 0.5);
  const sure = 2 - inverse(integral(2.5) - height(2));
  return () => {
    for (;;) {
      const y = last + random() * (first - last);
      const x = inverse(y);
      const rank = Math.min(count, Math.max(1, Math.floor(x + 0.5)));
      if (rank - x <= sure || y >= integral(rank + 0.5) - height(rank)) return rank;
    }
  };
}

/** The part of all requests that the `top` most wanted get. */
export function zipfShare(top, count, exponent) {
  return powerSum(top, exponent) / powerSum(count, exponent);
}

const summedOneByOne = 1_000_000;

/** The sum of rank^-exponent up to a rank; by Euler and Maclaurin beyond a million. */
function powerSum(upTo, exponent) {
  const exact = Math.min(upTo, summedOneByOne);
  let sum = 0;
  for (let rank = exact; rank >= 1; rank -= 1) sum += rank ** -exponent;
  if (upTo === exact) return sum;
  const area =
    exponent === 1
      ? Math.log(upTo / exact)
      : (upTo ** (1 - exponent) - exact ** (1 - exponent)) / (1 - exponent);
  return sum + area + (upTo ** -exponent - exact ** -exponent) / 2;
}

// (e^x - 1) / x and log(1 + x) / x, where they are 0 / 0 too: an exponent may be 1.
const expm1By = (x) => (Math.abs(x) > 1e-8 ? Math.expm1(x) / x : 1 + x / 2);
const log1pBy = (x) => (Math.abs(x) > 1e-8 ? Math.log1p(x) / x : 1 - x / 2);
