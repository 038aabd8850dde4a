// Compares two databases of cities in MaxMind's format, address by address:
// node bench/city-agreement.mjs ROUTED FILE OTHER
// ROUTED says which addresses are routed: those for which it has a country.
import { openTrees, percent, walkTrees } from './lib/mmdb-trees.mjs';

const paths = process.argv.slice(2);
if (paths.length !== 3) {
  process.stderr.write('usage: node bench/city-agreement.mjs ROUTED FILE OTHER\n');
  process.exit(2);
}
const nearKm = 50;
const earthRadiusKm = 6371;

const trees = openTrees(paths, (record) => {
  const { city, subdivisions, state1, location = record } = record;
  return {
    country: record.country_code ?? record.country?.iso_code,
    region: subdivisions?.[0]?.names?.en ?? state1,
    // DB-IP adds the district: Berlin (Mitte).
    city: (city?.names?.en ?? city)?.replace(/ \(.*/, ''),
    latitude: location.latitude,
    longitude: location.longitude,
  };
});

const createSums = () => ({ routed: 0, regions: [0, 0, 0], cities: [0, 0, 0], near: 0 });
for (const { name, sums } of walkTrees(trees, createSums, add)) {
  const { routed, regions, cities, near } = sums;
  const [inFile, inBoth, same] = cities;
  // A file may have addresses of one family only.
  if (inBoth === 0) continue;
  process.stdout.write(
    `${name}: ${paths[1]} has a region for ${percent(regions[0], routed)} of the routed addresses, ` +
      `and a city for ${percent(inFile, routed)}. If both databases have one, the region has the ` +
      `same name for ${percent(regions[2], regions[1])}, the city for ${percent(same, inBoth)}, and ` +
      `the cities are at most ${nearKm} km apart for ${percent(near, inBoth)}\n`,
  );
}

function add(sums, [routed, one, other], size) {
  if (routed?.country === undefined) return;
  sums.routed += size;
  for (const [field, counts] of [
    ['region', sums.regions],
    ['city', sums.cities],
  ]) {
    if (!one?.[field]) continue;
    counts[0] += size;
    if (!other?.[field]) continue;
    counts[1] += size;
    const isSame = one[field] === other[field] && one.country === other.country;
    if (isSame) counts[2] += size;
    if (field === 'city' && distanceKm(one, other) <= nearKm) sums.near += size;
  }
}

/** Returns the distance on a sphere (haversine formula). */
function distanceKm(one, other) {
  const radians = (degrees) => (degrees * Math.PI) / 180;
  const half = (a, b) => Math.sin(radians(a - b) / 2) ** 2;
  const square =
    half(one.latitude, other.latitude) +
    Math.cos(radians(one.latitude)) *
      Math.cos(radians(other.latitude)) *
      half(one.longitude, other.longitude);
  return 2 * earthRadiusKm * Math.asin(Math.sqrt(square));
}
