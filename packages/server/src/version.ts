import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);

/** The version of this server, from the manifest of its package. */
export const version: string = require('@shorty/server/package.json').version;
