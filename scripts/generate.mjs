// `npm run generate`: writes the files that derive from the code: openapi.yaml, the SDK's types and
// the CLI reference.
import { binary, install, run } from './bootstrap.mjs';

install();
run('node', ['packages/server/scripts/write-openapi.mjs', 'openapi.yaml']);
run(binary('openapi-typescript'), [
  'openapi.yaml',
  '--output',
  'packages/sdk/src/generated/api.ts',
  // A field with a default may be left out of a request.
  '--default-non-nullable=false',
]);
run('node', ['packages/cli/scripts/write-reference.mjs']);
