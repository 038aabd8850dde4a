import { randomBytes } from 'node:crypto';
import type { Logger } from 'pino';
import { v7 as newUuid } from 'uuid';
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
  const uses = new ApiKeyUses(apiKeys, (err) =>
    logger.error({ err }, 'storing the last use of an API key failed'),
  );
  const auth = createAuthService({ ...options, clients, apiKeys, uses, randomBytes });
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
    async deleteExpired(signal: AbortSignal): Promise<void> {
      await clients.deleteExpiredTokens(clock(), signal);
      await deleteEndedAttempts(database, clock(), signal);
    },
    stop: () => uses.stop(),
  };
}
