// `npm run generate`: writes the files that derive from the code: openapi.yaml, generated sources of
// the server, the SDK and the verifier, and the CLI reference.
import { install, root, run } from './bootstrap.mjs';
import { sharedSources, writeSharedSource } from './shared-sources.mjs';

install();
for (const name of sharedSources) writeSharedSource(`${root}/packages/${name}`);
run('node', ['packages/server/scripts/write-openapi.mjs', 'openapi.yaml']);
// Imported after the installation, because it needs the package yaml.
const { writeServerSources } = await import('./server-sources.mjs');
writeServerSources(`${root}/packages/server/src/generated`);
const { writeSdkSources } = await import('./sdk-sources.mjs');
writeSdkSources(`${root}/packages/sdk/src/generated`);
const { writeVerifierSources } = await import('./verifier-sources.mjs');
writeVerifierSources(`${root}/packages/webhook-verifier/src/generated`);
const { writeCliSources } = await import('../packages/cli/scripts/contract-sources.mjs');
writeCliSources(`${root}/packages/cli/src/generated`, `${root}/packages/import/src/generated`);
run('node', ['packages/cli/scripts/write-reference.mjs']);
