import type { Handlers } from '../http/handlers.js';
import type { UsageService } from './usage-service.js';

export function usageHandlers(usage: UsageService): Pick<Handlers, 'getUsage'> {
  return {
    async getUsage({ caller, query }) {
      return { status: 200, data: await usage.read(caller.organizationId, query.period) };
    },
  };
}
