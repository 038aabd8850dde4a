import { execFileSync } from 'node:child_process';
import { cpSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { root, scratchFolder } from '../lib/processes.js';

test('the clients that common generators make of openapi.yaml compile, with pleasant names', () => {
  const folder = scratchFolder();
  const run = (command: string, args: readonly string[]) =>
    execFileSync(command, args, { cwd: folder, encoding: 'utf8', stdio: 'pipe' });
  const bin = (name: string) => join(folder, 'node_modules/.bin', name);
  cpSync(join(root, 'e2e/tools/generated-clients'), folder, { recursive: true });
  cpSync(join(root, 'openapi.yaml'), join(folder, 'openapi.yaml'));
  run('npm', ['install', '--no-audit', '--no-fund', '--ignore-scripts', '--prefer-offline']);
  const orval = ['--input', 'openapi.yaml', '--output', 'orval/client.ts', '--client', 'fetch'];
  run(bin('openapi-typescript'), ['openapi.yaml', '-o', 'api.ts']);
  run(bin('openapi-ts'), ['-i', 'openapi.yaml', '-o', 'hey', '-c', '@hey-api/client-fetch']);
  run(bin('orval'), orval);
  const options = ['--noEmit', '--strict', '--skipLibCheck', '--target', 'es2022'];
  const modules = ['--module', 'nodenext', '--lib', 'es2023,dom,dom.iterable'];
  expect(run(bin('tsc'), [...options, ...modules, 'use.ts'])).toBe('');
  // A type without a name in the contract gets one from its place: GetUrls200DataItemsItem.
  for (const file of ['api.ts', 'hey/types.gen.ts', 'orval/client.ts']) {
    const names = readFileSync(join(folder, file), 'utf8').matchAll(/(?:type|interface) (\w+)/g);
    const ofPlaces = [...names].filter(([, name]) =>
      /ItemsItem|(?:Any|One|All)Of|200Data/.test(`${name}`),
    );
    expect(ofPlaces.map(([, name]) => name)).toEqual([]);
  }
});
