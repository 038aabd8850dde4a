/** A small seeded generator (mulberry32), so that a run of the fuzzer can be repeated. */
export function seededRandom(seed) {
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const integer = (below) => Math.floor(next() * below);
  return {
    integer,
    chance: (share) => next() < share,
    pick: (values) => values[integer(values.length)],
    bytes: (length) => Buffer.from(Array.from({ length }, () => integer(256))),
  };
}

/** Returns a copy of the bytes in which up to six differ; one copy in five is cut short, too. */
export function mutateBytes(random, bytes) {
  const changed = Buffer.from(bytes);
  for (let count = 1 + random.integer(6); count > 0 && changed.length > 0; count -= 1) {
    changed[random.integer(changed.length)] = random.integer(256);
  }
  return random.chance(0.2) ? changed.subarray(0, random.integer(changed.length + 1)) : changed;
}
