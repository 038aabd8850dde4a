// Writes the sources of the SDK that derive from openapi.yaml.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { binary, root, run } from './bootstrap.mjs';

/** The generated files, below packages/sdk/src/generated. */
export const sdkSources = ['api.ts', 'routes.ts'];

export function writeSdkSources(folder) {
  const document = parse(readFileSync(join(root, 'openapi.yaml'), 'utf8'));
  run(
    binary('openapi-typescript'),
    [
      'openapi.yaml',
      '--output',
      join(folder, 'api.ts'),
      // A field with a default may be left out of a request.
      '--default-non-nullable=false',
    ],
    { stdio: ['ignore', 'ignore', 'inherit'] },
  );
  writeFileSync(join(folder, 'routes.ts'), renderRoutes(document));
}

/** Returns the operations below /api/: the others are pages, redirects and operator routes. */
export function apiOperations({ paths }) {
  return Object.entries(paths)
    .filter(([path]) => path.startsWith('/api/'))
    .flatMap(([path, item]) =>
      Object.entries(item).map(([method, operation]) => ({
        path,
        method: method.toUpperCase(),
        ...operation,
      })),
    );
}

function renderRoutes(document) {
  const operations = apiOperations(document);
  const routes = operations.map(
    ({ operationId, method, path }) => `export const ${operationId} = '${method} ${path}';`,
  );
  const codes = [...codesByStatus(document, operations)].map(
    ([status, names]) => `  ${status}: ${names.map((name) => `'${name}'`).join(' | ')};`,
  );
  const { version } = JSON.parse(readFileSync(join(root, 'packages/sdk/package.json'), 'utf8'));
  return `// Generated from openapi.yaml by \`npm run generate\`. Do not edit.

// The method and the path of each operation of the API, by its operationId.
${routes.join('\n')}

/** The version of this package. */
export const version = '${version}';

/** The error codes of each status. */
export interface ErrorCodes {
${codes.join('\n')}
}
`;
}

/** Returns the error codes of each status. The description of an error response lists its codes. */
function codesByStatus({ components }, operations) {
  const codes = new Map();
  for (const { responses } of operations) {
    for (const [status, { $ref = '' }] of Object.entries(responses)) {
      const { description } = components.responses[$ref.split('/').at(-1)] ?? {};
      if (description === undefined) continue;
      codes.set(status, new Set([...(codes.get(status) ?? []), ...description.split(', ')]));
    }
  }
  const known = components.schemas.ErrorCode.enum;
  return [...codes]
    .sort(([a], [b]) => a - b)
    .map(([status, names]) => {
      const unknown = [...names].filter((name) => !known.includes(name));
      if (unknown.length > 0) throw new Error(`${status}: ${unknown} is not an error code`);
      return [status, known.filter((name) => names.has(name))];
    });
}
