import { randomBytes } from 'node:crypto';
import type { Logger } from 'pino';
import { v7 as newUuid } from 'uuid';
import { PeriodicService, type Service } from '../lifecycle.js';
import type { Database } from '../storage/database.js';
import { type ApiKeyHandlerOptions, apiKeyHandlers } from './api-key-handlers.js';
import { ApiKeyRepository } from './api-key-repository.js';
import { ApiKeyUses } from './api-key-uses.js';
import { deleteEndedAttempts } from './attempt-limiter.js';
import { type AuthServiceOptions, createAuthService } from './auth-service.js';
import { type ClientHandlerOptions, clientHandlers } from './client-handlers.js';
import { ClientRepository } from './client-repository.js';
import { ClientService } from './client-service.js';
import { tokenHandlers } from './token-handlers.js';

const keyUsesEveryMs = 1_000;

export interface AuthModuleOptions
  extends Pick<AuthServiceOptions, 'clock' | 'operatorKey'>,
    Pick<ApiKeyHandlerOptions, 'listApiKeys'>,
    Pick<ClientHandlerOptions, 'hasOrganization' | 'listClients'> {
  readonly database: Database;
  readonly logger: Logger;
}

/** Composes the module of clients, access tokens and API keys. */
export function createAuthModule(options: AuthModuleOptions) {
  const { database, clock, logger } = options;
  const clients = new ClientRepository(database);
  const apiKeys = new ApiKeyRepository(database);
  const uses = new ApiKeyUses(apiKeys);
  const auth = createAuthService({ ...options, clients, apiKeys, uses, randomBytes });
  const onError = (err: unknown) =>
    logger.error({ err }, 'storing the last use of API keys failed');
  const services: readonly Service[] = [
    new PeriodicService({
      name: 'API key uses',
      everyMs: keyUsesEveryMs,
      tick: () => uses.store(clock()),
      onError,
    }),
  ];
  return {
    auth,
    handlers: {
      ...tokenHandlers(auth),
      ...apiKeyHandlers({ ...options, apiKeys, newId: newUuid, randomBytes }),
      ...clientHandlers({
        ...options,
        clients: new ClientService({ clients, clock, randomBytes }),
        apiKeys,
      }),
    },
    services,
    async deleteExpired(signal: AbortSignal): Promise<void> {
      await clients.deleteExpiredTokens(clock(), signal);
      await deleteEndedAttempts(database, clock(), signal);
    },
    /** Stores the last uses of keys that are not stored yet. */
    stop: () => uses.storeAll().catch(onError),
  };
}
