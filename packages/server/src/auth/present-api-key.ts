import type { z } from 'zod';
import { presentAs, withIsoTimes } from '../contract/present.js';
import { apiKeyRecord } from './api-key-contract.js';
import type { ApiKey } from './api-key-repository.js';

/** An API key as the API presents it. */
export type ApiKeyRecord = z.input<typeof apiKeyRecord>;

export function toApiKeyRecord(apiKey: ApiKey): ApiKeyRecord {
  return presentAs(apiKeyRecord, { ...withIsoTimes(apiKey), scopes: [...apiKey.scopes] });
}
