import { sql } from 'kysely';
import { ApiError } from '../contract/api-error.js';
import { renderOpenApi } from '../contract/openapi.js';
import type { Handlers } from '../http/handlers.js';
import type { Database } from '../storage/database.js';

export interface HealthOptions {
  readonly database: Database;
  readonly isStopping: () => boolean;
  /** Why visits do not reach storage; undefined while they do. */
  readonly visitFault: () => string | undefined;
}

export function healthHandlers({
  database,
  isStopping,
  visitFault,
}: HealthOptions): Pick<Handlers, 'getLiveness' | 'getReadiness' | 'getOpenApi'> {
  // Rendered when it is first asked for: few ask.
  let openApi: string | undefined;
  const ok = { status: 200, body: { status: 'ok' } };
  return {
    getLiveness: async () => ok,

    async getReadiness() {
      if (isStopping()) throw new ApiError('UNAVAILABLE', 'The server is stopping');
      const fault = visitFault();
      if (fault !== undefined) throw new ApiError('UNAVAILABLE', fault);
      await sql`select 1 from organizations limit 1`.execute(database.read);
      return ok;
    },

    async getOpenApi() {
      openApi ??= renderOpenApi();
      return { status: 200, text: openApi, mediaType: 'application/yaml' };
    },
  };
}
