import { sql } from 'kysely';
import type { VisitFigures } from '../clicks/visit-pipeline.js';
import { ApiError } from '../contract/api-error.js';
import { renderOpenApi } from '../contract/openapi.js';
import type { Handlers } from '../http/handlers.js';
import type { Database } from '../storage/database.js';

export interface HealthOptions {
  readonly database: Database;
  readonly isStopping: () => boolean;
  /** Why visits do not reach storage; undefined while they do. */
  readonly visitFault: () => string | undefined;
  /** Undefined before the start. */
  readonly visitFigures: () => VisitFigures | undefined;
}

export function healthHandlers({
  database,
  isStopping,
  visitFault,
  visitFigures,
}: HealthOptions): Pick<Handlers, 'getLiveness' | 'getReadiness' | 'getMetrics' | 'getOpenApi'> {
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

    async getMetrics() {
      const figures = visitFigures();
      return {
        status: 200,
        text: figures === undefined ? '' : renderMetrics(figures),
        mediaType: 'text/plain; version=0.0.4',
      };
    },

    async getOpenApi() {
      openApi ??= renderOpenApi();
      return { status: 200, text: openApi, mediaType: 'application/yaml' };
    },
  };
}

/** Prometheus' text exposition format. */
function renderMetrics({ recorded, stored, inMemory, isFaulty }: VisitFigures): string {
  const metrics = [
    [
      'shorty_visits_total',
      'counter',
      'Redirects, pictures and API calls that were answered.',
      recorded,
    ],
    ['shorty_visits_stored_total', 'counter', 'Those of them that are in storage.', stored],
    ['shorty_visits_in_memory', 'gauge', 'Visits whose journal cannot be written.', inMemory],
    ['shorty_visits_fault', 'gauge', '1 while visits do not reach storage.', isFaulty ? 1 : 0],
  ] as const;
  return metrics
    .map(
      ([name, type, help, value]) =>
        `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n${name} ${value}\n`,
    )
    .join('');
}
