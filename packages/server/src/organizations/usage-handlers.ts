import type { HandlersOf } from '../http/handlers.js';
import type { usageRoutes } from './usage-contract.js';
import type { UsageService } from './usage-service.js';

export function usageHandlers(usage: UsageService): HandlersOf<typeof usageRoutes> {
  return {
    async getUsage({ caller, query }) {
      return { status: 200, data: await usage.read(caller.organizationId, query.period) };
    },
  };
}
