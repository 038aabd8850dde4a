import { it } from 'vitest';
import { engine } from '../engine.js';
import { checkReports } from './check-reports.js';

// A scenario takes five times as long on PostgreSQL, and another five run there in report-model.test.ts.
const scenarios = { sqlite: 25, postgres: 8 };

it('equals an independent model in each field of many reports', async () => {
  await checkReports(scenarios[engine()]);
}, 600_000);
