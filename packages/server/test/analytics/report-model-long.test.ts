import { it } from 'vitest';
import { checkReports } from './check-reports.js';

it('equals an independent model in each field of many reports', () => checkReports(15), 600_000);
