import { createRequire } from 'node:module';
import type * as Pg from 'pg';

const require = createRequire(import.meta.url);

/** Returns the driver, and loads it at the first call: a thread that uses SQLite saves 5 MB. */
export const pg = (): typeof Pg => require('pg');
