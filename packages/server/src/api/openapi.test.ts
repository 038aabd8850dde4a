import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { renderOpenApi } from '../../scripts/render-openapi.js';

const committed = readFileSync(new URL('../../../../openapi.yaml', import.meta.url), 'utf8');

it('openapi.yaml equals the rendered contract; if it does not, run `npm run generate`', () => {
  expect(renderOpenApi()).toBe(committed);
});
