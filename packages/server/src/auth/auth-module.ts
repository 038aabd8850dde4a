import type { Logger } from 'pino';
import { apiKeyHandlers } from './api-key-handlers.js';
import { createApiKeyRepository } from './api-key-repository.js';
import { createAuthService } from './auth-service.js';
import { clientHandlers } from './client-handlers.js';
import { createClientRepository } from './client-repository.js';
import { tokenHandlers } from './token-handlers.js';

type Options = Omit<
  Parameters<typeof createAuthService>[0] & Parameters<typeof clientHandlers>[0],
  'clients' | 'apiKeys'
> & { readonly logger: Logger };

export function createAuthModule(options: Options) {
  const { database, logger } = options;
  const clients = createClientRepository(database);
  const apiKeys = createApiKeyRepository(database, (err) =>
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
    stop: () => apiKeys.stop(),
  };
}
