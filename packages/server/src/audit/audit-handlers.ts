import { validationError } from '../contract/api-error.js';
import type { ReadPage } from '../contract/json-text.js';
import type { HandlersOf } from '../http/handlers.js';
import { replyWithPage } from '../http/open-page.js';
import { ListTimeoutError, operatorOwner } from '../storage/database.js';
import { listTimeoutMs } from '../storage/list-page.js';
import type { AuditFilter, auditRoutes, OperatorAuditFilter } from './audit-contract.js';
import type { AuditEntry } from './audit-repository.js';

export function auditHandlers(options: {
  readonly listAuditEntries: ReadPage<AuditEntry, AuditFilter>;
  readonly listAllAuditEntries: ReadPage<AuditEntry, OperatorAuditFilter>;
}): HandlersOf<typeof auditRoutes> {
  return {
    listAuditEntries: ({ caller: { organizationId }, query }) =>
      replyWithPage({ name: 'audit', organizationId }, query, options.listAuditEntries).catch(
        refuseSlowList,
      ),

    listAllAuditEntries: ({ query }) =>
      replyWithPage(
        { name: 'audit', organizationId: operatorOwner },
        query,
        options.listAllAuditEntries,
      ).catch(refuseSlowList),
  };
}

/** Throws a client error for a list that timed out, because a repeated one would take as long again. */
function refuseSlowList(error: unknown): never {
  if (!(error instanceof ListTimeoutError)) throw error;
  const message = `must be later, because the list takes longer than ${listTimeoutMs / 1_000} s: list a shorter time by since and until`;
  throw validationError([{ path: 'since', message }]);
}
