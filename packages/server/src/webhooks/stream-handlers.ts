import { newSecret } from '../auth/secrets.js';
import { ApiError, quotaError, validationError } from '../contract/api-error.js';
import { presentAs, withIsoTimes } from '../contract/present.js';
import { everyType } from '../events/subscription.js';
import type { HandlersOf } from '../http/handlers.js';
import type { Clock, NewId, RandomBytes } from '../ports.js';
import type { Keyring } from '../storage/keyring.js';
import { formatDelivery, type OpenStreams, streamStart } from './open-streams.js';
import { presentFilters } from './present-webhook.js';
import { standardSecretOf } from './secrets.js';
import { type streamRoutes, webhookStream } from './stream-contract.js';
import type { StreamRepository } from './stream-repository.js';
import type { WebhookAccess } from './webhook-access.js';
import { maxStreams } from './webhook-limits.js';

export interface StreamHandlerOptions {
  readonly streams: StreamRepository;
  readonly keyring: Keyring;
  readonly open: Pick<OpenStreams, 'add' | 'hasCapacityFor'>;
  readonly access: WebhookAccess;
  readonly clock: Clock;
  readonly newId: NewId;
  readonly randomBytes: RandomBytes;
}

const mediaType = 'text/event-stream';

/** Creates streams, sends their deliveries, and records the outcomes that clients report. */
export function streamHandlers(options: StreamHandlerOptions): HandlersOf<typeof streamRoutes> {
  const { streams, open, access, clock } = options;

  async function getStream(organizationId: string, id: string) {
    const webhook = await access.getWebhook(organizationId, id);
    if (webhook.expiresAt !== null) return webhook;
    const message = 'must be a webhook stream: POST /api/v1/webhooks/streams creates one';
    throw validationError([{ path: 'id', message }]);
  }

  return {
    async createWebhookStream({ caller: { organizationId }, body, write }) {
      await access.requirePlan(organizationId, 'webhooks');
      const { events = [everyType], filters = null, replayLast = 0 } = body ?? {};
      await access.checkFilters(organizationId, filters);
      if (replayLast > 0 && filters !== null) {
        const message = `is ${replayLast}: must be 0 with filters`;
        throw validationError([{ path: 'replayLast', message }]);
      }
      if (replayLast > 0) await access.requirePlan(organizationId, 'replay');
      const id = options.newId();
      const { result, replayed } = await streams.create(
        organizationId,
        {
          id,
          url: `/api/v1/webhooks/streams/${id}`,
          events,
          filters,
          secret: newSecret('webhookSecret', options.randomBytes),
          createdAt: clock(),
        },
        replayLast,
        write,
      );
      if (!result) {
        const use = `An organization has at most ${maxStreams} webhook streams, and ${maxStreams} exist`;
        throw quotaError(use, 'Delete one first, or wait until one expires');
      }
      const standardWebhooksSecret = standardSecretOf(result.secret);
      const data = presentAs(webhookStream, {
        ...withIsoTimes(result),
        events: [...result.events],
        filters: result.filters && presentFilters(result.filters),
        standardWebhooksSecret,
      });
      return { status: 201, replayed, data };
    },

    async readWebhookStream({ caller: { organizationId }, params: { id }, query }) {
      await access.requirePlan(organizationId, 'webhooks');
      await getStream(organizationId, id);
      const now = clock();
      if (!query.follow) {
        await streams.renew([id], now);
        const [state] = await streams.findStates([id], now);
        const count = state?.claimable ?? 0;
        const claimed = count > 0 ? await streams.claim([{ webhookId: id, count }], now) : [];
        const events = claimed.map(
          (delivery) => state && formatDelivery(delivery, state, now, options.keyring),
        );
        return { status: 200, mediaType, text: streamStart + events.join('') };
      }
      if (!open.hasCapacityFor(id)) {
        throw new ApiError('UNAVAILABLE', 'This server has too many open webhook streams');
      }
      const connectionId = options.newId();
      await streams.connect(organizationId, id, connectionId, now);
      return {
        status: 200,
        mediaType,
        stream: (response) => open.add(id, connectionId, response),
      };
    },

    async reportOutcomes({ caller: { organizationId }, params: { id }, body, write }) {
      const stream = await getStream(organizationId, id);
      const { result, replayed } = await streams.recordOutcomes(
        organizationId,
        stream,
        body.outcomes,
        clock(),
        write,
      );
      return { status: 200, replayed, data: { recorded: result } };
    },
  };
}
