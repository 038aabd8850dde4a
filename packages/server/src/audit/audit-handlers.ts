import type { ReadPage } from '../contract/json-text.js';
import type { HandlersOf } from '../http/handlers.js';
import { replyWithPage } from '../http/open-page.js';
import { operatorOwner } from '../storage/database.js';
import type { AuditFilter, auditRoutes, OperatorAuditFilter } from './audit-contract.js';
import type { AuditEntry } from './audit-repository.js';

export function auditHandlers(options: {
  readonly listAuditEntries: ReadPage<AuditEntry, AuditFilter>;
  readonly listAllAuditEntries: ReadPage<AuditEntry, OperatorAuditFilter>;
}): HandlersOf<typeof auditRoutes> {
  return {
    listAuditEntries: ({ caller: { organizationId }, query }) =>
      replyWithPage(organizationId, query, options.listAuditEntries),

    listAllAuditEntries: ({ query }) =>
      replyWithPage(operatorOwner, query, options.listAllAuditEntries),
  };
}
