import { v7 as newUuid } from 'uuid';
import type { OperatorRequest } from '../../auth/client-service.js';

/**
 * Returns the request of a command, which is never repeated. The audit log names the operation of the
 * contract that does the same.
 */
export function fromCommand(operation: string, changes: object = {}): OperatorRequest {
  const origin = {
    entryId: newUuid(),
    actorType: 'shell',
    actorId: null,
    address: null,
    operation,
    fields: Object.keys(changes),
    at: Date.now(),
  } as const;
  return { write: { origin, idempotency: undefined }, key: '' };
}
