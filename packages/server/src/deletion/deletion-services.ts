import type { Logger } from 'pino';
import { PeriodicService } from '../lifecycle.js';
import type { Clock } from '../ports.js';
import type { Database } from '../storage/database.js';
import { deleteOrganizations } from './delete-organization.js';
import { eraseLinks } from './erase-link.js';

const everyMs = 1_000;
// Requests erase links themselves, and tell of organizations to delete: for what a killed process began.
const idleEveryMs = 10_000;

/** Creates the services that delete organizations and erase links, also what a killed process began. */
export function createDeletionServices({
  database,
  clock,
  logger,
}: {
  readonly database: Database;
  readonly clock: Clock;
  readonly logger: Logger;
}): readonly PeriodicService[] {
  const onError = (err: unknown, organizationId?: string) =>
    logger.error({ organizationId, err }, 'deleting an organization failed');
  return [
    new PeriodicService({
      name: 'deleted organizations',
      everyMs,
      idleEveryMs,
      tick: (signal) => deleteOrganizations(database, onError, signal, clock()),
      onError,
    }),
    new PeriodicService({
      name: 'erased links',
      everyMs,
      idleEveryMs,
      tick: (signal) => eraseLinks(database, signal),
      onError: (err) => logger.error({ err }, 'erasing links failed'),
    }),
  ];
}
