import type { Logger } from 'pino';
import { PeriodicService, type Service } from '../lifecycle.js';
import type { Clock } from '../ports.js';
import type { Database } from '../storage/database.js';
import { deleteOrganizations } from './delete-organization.js';
import { eraseLinks } from './erase-link.js';

const everyMs = 1_000;

/** Creates the services that delete organizations and erase links, also what a killed process began. */
export function createDeletionServices({
  database,
  clock,
  logger,
}: {
  readonly database: Database;
  readonly clock: Clock;
  readonly logger: Logger;
}): readonly Service[] {
  return [
    new PeriodicService({
      name: 'deleted organizations',
      everyMs,
      tick: async (signal) => {
        for (const { organizationId, error } of await deleteOrganizations(
          database,
          signal,
          clock(),
        )) {
          logger.error({ organizationId, err: error }, 'deleting an organization failed');
        }
      },
      onError: (err) => logger.error({ err }, 'deleting an organization failed'),
    }),
    new PeriodicService({
      name: 'erased links',
      everyMs,
      tick: (signal) => eraseLinks(database, signal),
      onError: (err) => logger.error({ err }, 'erasing links failed'),
    }),
  ];
}
