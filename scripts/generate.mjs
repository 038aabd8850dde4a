// `npm run generate`: write again whatever derives from the contract (openapi.yaml, the SDK's types).
import { binary, install, run } from './bootstrap.mjs';

install();
run(binary('tsc'), ['--build', 'packages/server']);
run('node', ['packages/server/scripts/write-openapi.mjs', 'openapi.yaml']);
run(binary('openapi-typescript'), [
  'openapi.yaml',
  '--output',
  'packages/sdk/src/generated/api.ts',
  // A field with a default may be left out of a request.
  '--default-non-nullable=false',
]);
