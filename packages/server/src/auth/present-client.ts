import type { z } from 'zod';
import type { Scope } from '../contract/define-route.js';
import { presentAs, withIsoTimes } from '../contract/present.js';
import { clientRecord } from './client-contract.js';
import type { Client } from './client-repository.js';

/** A client as the API presents it. */
export type ClientRecord = z.input<typeof clientRecord>;

export function toClientRecord(client: Client): ClientRecord {
  return presentAs(clientRecord, {
    ...withIsoTimes(client),
    scopes: client.scopes as Scope[],
  });
}
