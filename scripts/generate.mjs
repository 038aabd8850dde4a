// `npm run generate [folder]`: writes the files that derive from the code: openapi.yaml, generated sources of
// the server, the SDK, the verifier and the CLI, and the CLI reference. By default to this repository.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { install, root, run } from './bootstrap.mjs';

const [target = root] = process.argv.slice(2);
const pathOf = (relative) => {
  const path = join(target, relative);
  mkdirSync(dirname(path), { recursive: true });
  return path;
};
const folderOf = (name) => dirname(pathOf(`packages/${name}/src/generated/file`));

install();
// Shared with packages that must not import it: they have no dependency on the server.
const shared = 'packages/server/src/contract/nearest-name.ts';
const copied = `// Copied from ${shared} by \`npm run generate\`. Do not edit.\n`;
for (const name of ['import', 'sdk', 'webhook-verifier']) {
  writeFileSync(join(folderOf(name), 'nearest-name.ts'), copied + readFileSync(join(root, shared)));
}
run('node', ['packages/server/scripts/write-openapi.mjs', pathOf('openapi.yaml')]);
// Imported after the installation, because they need packages.
const { writeServerSources } = await import('./server-sources.mjs');
writeServerSources(folderOf('server'));
const { writeSdkSources } = await import('./sdk-sources.mjs');
writeSdkSources(folderOf('sdk'));
const { writeVerifierSources } = await import('./verifier-sources.mjs');
writeVerifierSources(folderOf('webhook-verifier'));
const { writeCliSources } = await import('../packages/cli/scripts/contract-sources.mjs');
writeCliSources(folderOf('cli'), folderOf('import'));
run('node', ['packages/cli/scripts/write-reference.mjs', pathOf('docs/reference/cli.md')]);
