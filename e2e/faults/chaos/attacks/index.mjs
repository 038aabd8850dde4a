import { bodies } from './bodies.mjs';
import { fuzz } from './fuzz.mjs';
import { requests } from './requests.mjs';
import { sharedWork } from './shared-work.mjs';
import { webhooks } from './webhooks.mjs';

/**
 * Every attack by its name. An attack gets `{ target, tenants, ports, folder, random, signal }` and
 * repeats until the signal is aborted.
 */
export const attacks = { ...requests, ...bodies, ...sharedWork, ...webhooks, ...fuzz };
