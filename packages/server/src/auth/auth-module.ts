import type { Logger } from 'pino';
import type { Database } from '../storage/database.js';
import { type ApiKeyHandlerOptions, apiKeyHandlers } from './api-key-handlers.js';
import { ApiKeyRepository } from './api-key-repository.js';
import { deleteEndedAttempts } from './attempt-limiter.js';
import { type AuthServiceOptions, createAuthService } from './auth-service.js';
import { type ClientHandlerOptions, clientHandlers } from './client-handlers.js';
import { ClientRepository } from './client-repository.js';
import { tokenHandlers } from './token-handlers.js';

export interface AuthModuleOptions
  extends Pick<AuthServiceOptions, 'clock' | 'operatorKey' | 'findSession'>,
    Pick<ApiKeyHandlerOptions, 'listApiKeys'>,
    Pick<ClientHandlerOptions, 'hasOrganization' | 'listClients'> {
  readonly database: Database;
  readonly logger: Logger;
}

export function createAuthModule(options: AuthModuleOptions) {
  const { database, clock, logger } = options;
  const clients = new ClientRepository(database);
  const apiKeys = new ApiKeyRepository(database, (err) =>
    logger.error({ err }, 'storing the last use of an API key failed'),
  );
  const auth = createAuthService({ ...options, clients, apiKeys });
  return {
    auth,
    handlers: {
      ...tokenHandlers(auth),
      ...apiKeyHandlers({ ...options, apiKeys }),
      ...clientHandlers({ ...options, clients, apiKeys }),
    },
    async deleteExpired(signal: AbortSignal): Promise<void> {
      await clients.deleteExpiredTokens(clock(), signal);
      await deleteEndedAttempts(database, clock(), signal);
    },
    stop: () => apiKeys.stop(),
  };
}
