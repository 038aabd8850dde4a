// Compares databases of countries in MaxMind's format, address by address:
// node bench/country-agreement.mjs ROUTED FILE OTHER OTHER
// ROUTED says which addresses are routed: those for which it has a country.
import { readFileSync } from 'node:fs';
import { Reader } from 'mmdb-lib';

const [routedPath, path, ...others] = process.argv.slice(2);
if (others.length !== 2) {
  process.stderr.write('usage: node bench/country-agreement.mjs ROUTED FILE OTHER OTHER\n');
  process.exit(2);
}
const databases = [routedPath, path, ...others].map(openTree);
const percent = (part, whole) => `${((100 * part) / whole).toFixed(2)} %`;
for (const { name, bits, first, total } of [
  { name: 'IPv4', bits: 96, first: [], total: 2 ** 32 },
  // Only this eighth is assigned. Shares of IPv6 are by address, so large networks decide.
  { name: 'IPv6', bits: 0, first: [0, 0, 1], total: 2 ** 125 },
]) {
  const sums = compare(bits, first, total);
  process.stdout.write(
    `${name}: agrees with ${others[0]} for ${percent(sums.first, sums.routed)}, ` +
      `with ${others[1]} for ${percent(sums.second, sums.routed)}, ` +
      `and for ${percent(sums.all, sums.consensus)} of the addresses on which both agree ` +
      `(${percent(sums.consensus, sums.routed)} of those that are routed)\n`,
  );
}

/** Returns functions that walk the search tree of a database. */
function openTree(file) {
  const bytes = readFileSync(file);
  const reader = new Reader(bytes);
  const { nodeCount, recordSize, searchTreeSize } = reader.metadata;
  const countries = new Map();
  const record = (node, bit) => {
    if (recordSize === 24) return bytes.readUIntBE(node * 6 + bit * 3, 3);
    if (recordSize === 32) return bytes.readUInt32BE(node * 8 + bit * 4);
    const high = bytes[node * 7 + 3];
    return ((bit === 0 ? high >> 4 : high & 15) << 24) | bytes.readUIntBE(node * 7 + bit * 4, 3);
  };
  const countryOf = (pointer) => {
    if (pointer === nodeCount) return undefined;
    if (!countries.has(pointer)) {
      const { value } = reader.decoder.decode(pointer - nodeCount + searchTreeSize);
      countries.set(pointer, value.country_code ?? value.country?.iso_code);
    }
    return countries.get(pointer);
  };
  return {
    /** Returns the node after a bit. A leaf stays as it is. */
    next: (node, bit) => (node >= nodeCount ? node : record(node, bit)),
    isLeaf: (node) => node >= nodeCount,
    countryOf,
  };
}

/** Walks all trees at once, and adds up the sizes of the networks. */
function compare(zeroBits, first, total) {
  const sums = { routed: 0, first: 0, second: 0, consensus: 0, all: 0 };
  const start = databases.map(({ next }) => [...Array(zeroBits).fill(0), ...first].reduce(next, 0));
  const walk = (nodes, size) => {
    if (databases.every(({ isLeaf }, at) => isLeaf(nodes[at]))) {
      const [routed, own, one, two] = databases.map(({ countryOf }, at) => countryOf(nodes[at]));
      if (routed === undefined) return;
      sums.routed += size;
      if (own !== undefined && own === one) sums.first += size;
      if (own !== undefined && own === two) sums.second += size;
      if (one !== two || one === undefined) return;
      sums.consensus += size;
      if (own === one) sums.all += size;
      return;
    }
    for (const bit of [0, 1]) {
      walk(
        nodes.map((node, at) => databases[at].next(node, bit)),
        size / 2,
      );
    }
  };
  walk(start, total);
  return sums;
}
