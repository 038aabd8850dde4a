// Compares databases of countries in MaxMind's format, address by address:
// node bench/country-agreement.mjs ROUTED FILE OTHER OTHER
// ROUTED says which addresses are routed: those for which it has a country.
import { openTrees, percent, walkTrees } from './lib/mmdb-trees.mjs';

const paths = process.argv.slice(2);
if (paths.length !== 4) {
  process.stderr.write('usage: node bench/country-agreement.mjs ROUTED FILE OTHER OTHER\n');
  process.exit(2);
}
const others = paths.slice(2);
const trees = openTrees(paths, (record) => record.country_code ?? record.country?.iso_code);

const createSums = () => ({ routed: 0, first: 0, second: 0, consensus: 0, all: 0 });
for (const { name, sums } of walkTrees(trees, createSums, add)) {
  process.stdout.write(
    `${name}: agrees with ${others[0]} for ${percent(sums.first, sums.routed)}, ` +
      `with ${others[1]} for ${percent(sums.second, sums.routed)}, ` +
      `and for ${percent(sums.all, sums.consensus)} of the addresses on which both agree ` +
      `(${percent(sums.consensus, sums.routed)} of those that are routed)\n`,
  );
}

function add(sums, [routed, own, one, two], size) {
  if (routed === undefined) return;
  sums.routed += size;
  if (own !== undefined && own === one) sums.first += size;
  if (own !== undefined && own === two) sums.second += size;
  if (one !== two || one === undefined) return;
  sums.consensus += size;
  if (own === one) sums.all += size;
}
