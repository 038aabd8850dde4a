// Walks the search trees of several databases in MaxMind's format at once.
import { readFileSync } from 'node:fs';
import { Reader } from 'mmdb-lib';

const families = [
  { name: 'IPv4', bits: 32, first: [] },
  // Only this eighth is assigned. Shares of IPv6 are by address, so large networks decide.
  { name: 'IPv6', bits: 128, first: [0, 0, 1] },
];

/** Opens databases. `factsOf` returns what is compared of a record, and is called once for each. */
export function openTrees(paths, factsOf) {
  return paths.map((path) => openTree(path, factsOf));
}

/**
 * Calls `add` with the facts of each database and the number of addresses, for each network in which
 * no database has a smaller one. Returns the families of addresses that all databases have.
 */
export function* walkTrees(trees, createSums, add) {
  for (const { name, bits, first } of families) {
    if (!trees.every(({ has }) => has(name))) continue;
    const sums = createSums();
    const walk = (nodes, size) => {
      if (trees.every(({ isLeaf }, at) => isLeaf(nodes[at]))) {
        add(
          sums,
          trees.map(({ factsAt }, at) => factsAt(nodes[at])),
          size,
        );
        return;
      }
      for (const bit of [0, 1]) {
        walk(
          nodes.map((node, at) => trees[at].next(node, bit)),
          size / 2,
        );
      }
    };
    const start = trees.map(({ next, startOf }) => first.reduce(next, startOf(name)));
    walk(start, 2 ** (bits - first.length));
    yield { name, sums };
  }
}

function openTree(path, factsOf) {
  const bytes = readFileSync(path);
  const reader = new Reader(bytes);
  const { nodeCount, recordSize, searchTreeSize, ipVersion } = reader.metadata;
  const facts = new Map();
  const record = (node, bit) => {
    if (recordSize === 24) return bytes.readUIntBE(node * 6 + bit * 3, 3);
    if (recordSize === 32) return bytes.readUInt32BE(node * 8 + bit * 4);
    const high = bytes[node * 7 + 3];
    return ((bit === 0 ? high >> 4 : high & 15) << 24) | bytes.readUIntBE(node * 7 + bit * 4, 3);
  };
  const isLeaf = (node) => node >= nodeCount;
  const next = (node, bit) => (isLeaf(node) ? node : record(node, bit));
  return {
    /** Returns the node after a bit. A leaf stays as it is. */
    next,
    isLeaf,
    has: (family) => family === 'IPv4' || ipVersion === 6,
    /** IPv4 addresses are the first of a database with IPv6 addresses. */
    startOf: (family) =>
      family === 'IPv4' && ipVersion === 6 ? Array(96).fill(0).reduce(next, 0) : 0,
    factsAt(pointer) {
      if (pointer === nodeCount) return undefined;
      if (!facts.has(pointer)) {
        const { value } = reader.decoder.decode(pointer - nodeCount + searchTreeSize);
        facts.set(pointer, factsOf(value));
      }
      return facts.get(pointer);
    },
  };
}

/** Formats a share. */
export function percent(part, whole) {
  return `${((100 * part) / whole).toFixed(2)} %`;
}
