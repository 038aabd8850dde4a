/**
 * Returns a generator of Zipf-distributed ranks from 1 to `count`. It needs no table: it uses
 * rejection-inversion sampling (Hörmann and Derflinger, 1996).
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

/** Returns the share of all requests that the `top` most requested links get. */
export function zipfShare(top, count, exponent) {
  return powerSum(top, exponent) / powerSum(count, exponent);
}

const maxExactTerms = 1_000_000;

/** Returns the sum of rank^-exponent up to a rank, by the Euler-Maclaurin formula beyond a million. */
function powerSum(upTo, exponent) {
  const exact = Math.min(upTo, maxExactTerms);
  let sum = 0;
  for (let rank = exact; rank >= 1; rank -= 1) sum += rank ** -exponent;
  if (upTo === exact) return sum;
  const area =
    exponent === 1
      ? Math.log(upTo / exact)
      : (upTo ** (1 - exponent) - exact ** (1 - exponent)) / (1 - exponent);
  return sum + area + (upTo ** -exponent - exact ** -exponent) / 2;
}

// (e^x - 1) / x and log(1 + x) / x, which are 0 / 0 at 0. An exponent of 1 needs their limits.
const expm1By = (x) => (Math.abs(x) > 1e-8 ? Math.expm1(x) / x : 1 + x / 2);
const log1pBy = (x) => (Math.abs(x) > 1e-8 ? Math.log1p(x) / x : 1 - x / 2);
