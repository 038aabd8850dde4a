import { ApiError, validationError } from '../contract/api-error.js';
import type { PageText } from '../contract/json-text.js';
import type { HandlersOf } from '../http/handlers.js';
import { openPage } from '../http/open-page.js';
import type { Clock, NewId } from '../ports.js';
import { type ReplayRecord, toReplayRecord } from './present-webhook.js';
import type { ReplayFilter, replayRoutes } from './replay-contract.js';
import { type Replay, ReplayConflictError, type ReplayRepository } from './replay-repository.js';
import { requireFound, type WebhookAccess } from './webhook-access.js';
import type { WebhookHandlerOptions } from './webhook-handlers.js';

export interface ReplayHandlerOptions extends Pick<WebhookHandlerOptions, 'listDeliveries'> {
  readonly replays: ReplayRepository;
  readonly listReplays: (
    organizationId: string,
    webhookId: string,
    filter: ReplayFilter,
  ) => Promise<PageText<ReplayRecord>>;
  readonly access: WebhookAccess;
  readonly clock: Clock;
  readonly newId: NewId;
}

/** Starts, reads and cancels replays of many deliveries. */
export function replayHandlers(options: ReplayHandlerOptions): HandlersOf<typeof replayRoutes> {
  const { replays, access, clock } = options;

  /** Counts the finished deliveries that match. The list thread counts, and not this one. */
  async function count(
    organizationId: string,
    { webhookId, since, until, status, eventTypes }: CountedReplay,
  ): Promise<number> {
    let total = 0;
    for (const each of status === 'all' ? (['failed', 'delivered'] as const) : [status]) {
      for (const eventType of eventTypes ?? [undefined]) {
        const page = await options.listDeliveries(organizationId, webhookId, {
          status: each,
          eventType,
          since: new Date(since).toISOString(),
          until: new Date(until).toISOString(),
          limit: 1,
          offset: 0,
        });
        total += page.total ?? 0;
      }
    }
    return total;
  }

  return {
    async createReplay({ caller: { organizationId }, params, body, write }) {
      await access.requirePlan(organizationId, 'replay');
      const { id: webhookId } = await access.getActiveWebhook(organizationId, params.id);
      const now = clock();
      const since = Date.parse(body.since);
      const until = Math.min(now, body.until === undefined ? now : Date.parse(body.until));
      if (since >= until) {
        const bound = body.until === undefined || until === now ? 'now' : `until, ${body.until}`;
        const message = `is ${body.since}: it must lie before ${bound}`;
        throw validationError([{ path: 'since', message }]);
      }
      const { status, eventTypes = null } = body;
      const replay = { webhookId, since, until, status, eventTypes };
      const total = await count(organizationId, replay);
      try {
        const { result, replayed } = await replays.create(
          organizationId,
          { id: options.newId(), ...replay, total, createdAt: now },
          write,
        );
        return { status: 202, replayed, data: toReplayRecord(result) };
      } catch (error) {
        if (!(error instanceof ReplayConflictError)) throw error;
        throw new ApiError('REPLAY_CONFLICT', error.message, { cause: error });
      }
    },

    async listReplays({ caller: { organizationId }, params, query }) {
      await access.getWebhook(organizationId, params.id);
      const list = { name: `replays of ${params.id}`, organizationId, ids: 'text' } as const;
      const { filter, reply } = openPage(list, query);
      return reply(await options.listReplays(organizationId, params.id, filter));
    },

    async getReplay({ caller, params: { id, replayId } }) {
      await access.getWebhook(caller.organizationId, id);
      const replay = requireFound(await replays.find(id, replayId), 'replay', replayId);
      return { status: 200, data: toReplayRecord(replay) };
    },

    async cancelReplay({ caller: { organizationId }, params: { id, replayId }, write }) {
      await access.getWebhook(organizationId, id);
      const { result, replayed } = await replays.cancel(
        organizationId,
        id,
        replayId,
        clock(),
        write,
      );
      return {
        status: 200,
        replayed,
        data: toReplayRecord(requireFound(result, 'replay', replayId)),
      };
    },
  };
}

type CountedReplay = Pick<Replay, 'webhookId' | 'since' | 'until' | 'status' | 'eventTypes'>;
