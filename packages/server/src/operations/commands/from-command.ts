import { v7 as newUuid } from 'uuid';
import type { OperatorRequest } from '../../auth/client-service.js';
import type { WriteOrigin } from '../../idempotency/audit-entry.js';

/** Returns the request of a command, which is never repeated. */
export function fromCommand(operation: string, changes: object = {}): OperatorRequest {
  return { write: { origin: originOf(operation, changes), idempotency: undefined }, key: '' };
}

/**
 * Returns who makes the write of a command. The operation is that of the contract which does the same,
 * if there is one.
 */
export function originOf(operation: string, changes: object = {}): WriteOrigin {
  return {
    entryId: newUuid(),
    actorType: 'shell',
    actorId: null,
    address: null,
    operation,
    fields: Object.keys(changes),
    clock: Date.now,
  };
}
