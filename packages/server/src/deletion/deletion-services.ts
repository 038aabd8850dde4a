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
  const onError = (err: unknown, organizationId?: string) =>
    logger.error({ organizationId, err }, 'deleting an organization failed');
  return [
    new PeriodicService({
      name: 'deleted organizations',
      everyMs,
      tick: (signal) => deleteOrganizations(database, onError, signal, clock()),
      onError,
    }),
    new PeriodicService({
      name: 'erased links',
      everyMs,
      tick: (signal) => eraseLinks(database, signal),
      onError: (err) => logger.error({ err }, 'erasing links failed'),
    }),
  ];
}
