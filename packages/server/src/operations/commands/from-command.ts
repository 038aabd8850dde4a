import { v7 as newUuid } from 'uuid';
import type { WriteOrigin } from '../../idempotency/audit-entry.js';
import type { WriteRequest } from '../../idempotency/with-idempotency-key.js';

/** Returns the request of a command, which is never repeated. */
export function fromCommand(operation: string, changes: object = {}): WriteRequest {
  return { origin: originOf(operation, changes), idempotency: undefined };
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
