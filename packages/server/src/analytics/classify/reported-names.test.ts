import { expect, it } from 'vitest';
import { browserNames, osNames, reportedBrowser, reportedOs } from './reported-names.js';

it('names in reports are not other names of others', () => {
  for (const name of browserNames.values()) expect(reportedBrowser(name)).toBeUndefined();
  for (const name of osNames.values()) expect(reportedOs(name)).toBeUndefined();
});
