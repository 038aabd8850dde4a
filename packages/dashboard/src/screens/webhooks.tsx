import type {
  Delivery,
  DeliveryListQuery,
  EventType,
  Webhook,
  WebhookCreateRequest,
  WebhookSecret,
  WebhookUpdateRequest,
} from '@shorty/sdk';
import { Fragment } from 'preact';
import { useState } from 'preact/hooks';
import { Link, useLocation } from 'wouter-preact';
import { showSecrets } from '../components/copy.js';
import { Button, Dialog, Loading, Part, Screen, Time, useLoaded } from '../components/elements.js';
import { Action, Form, type Section, section } from '../components/form.js';
import { List } from '../components/list.js';
import { notify } from '../components/work.js';
import { type Field, field, optionsOf, select } from '../fields.js';
import { api, may } from '../session.js';
import { useDomains } from './domains.js';

function stateOf({ isActive, disabledReason }: Webhook): string {
  if (isActive) return 'active';
  return disabledReason === null ? 'paused' : 'stopped, because every attempt failed';
}

/** What somebody decides on a webhook. */
function useFields(headerNames: readonly string[] = []): readonly (Field | Section)[] {
  const { value: types } = useLoaded('types', () => api.webhooks.eventTypes());
  const domains = useDomains();
  const events = types?.items ?? [];
  return [
    field('url', 'Address of the receiver', {
      kind: 'url',
      placeholder: 'https://example.com/hooks/shorty',
      required: true,
    }),
    field('description', 'Description'),
    field('events', 'Events', {
      kind: 'checks',
      options: ({ draft }) => [
        ['*', 'All types, also future ones'],
        ...events
          .filter(({ isOptIn }) => isOptIn || !(draft.events as readonly string[]).includes('*'))
          .map(({ type, description }) => [type, `${type}: ${description}`] as const),
      ],
    }),
    section('Only events of some links', [
      field('filters.tags', 'With one of these tags', {
        kind: 'tags',
        hint: 'Separated by commas.',
      }),
      field('filters.urlIds', 'These links (ids)', { kind: 'tags', hint: 'Separated by commas.' }),
      field('filters.domainIds', 'On these domains', { kind: 'checks', options: domains }),
    ]),
    section('Headers of each delivery', [
      field('headers', 'Headers', {
        kind: 'headers',
        placeholder: 'Authorization: Bearer …',
        hint:
          headerNames.length === 0
            ? 'A name and a value a line. Nobody can read the values afterwards.'
            : `Replaces ${headerNames.join(', ')}, whose values nobody can read.`,
      }),
    ]),
  ];
}

/** The webhooks of an organization. */
export function Webhooks() {
  return (
    <Screen title="Webhooks">
      {may('webhooks:write') && <Link href="/webhooks/new">New webhook</Link>}
      <List<Webhook>
        read={(query) => api.webhooks.list(query)}
        none="No webhooks yet. A webhook tells your programs of events."
        columns={{
          Receiver: ({ id, url }) => <Link href={`/webhooks/${id}`}>{url}</Link>,
          Events: ({ events }) => (events.includes('*') ? 'all' : events.join(', ')),
          State: stateOf,
        }}
        notes={{
          Receiver: ({ description }) => description,
          State: ({ failureRate }) =>
            failureRate !== null &&
            failureRate > 0 &&
            `${Math.round(failureRate * 100)} % of recent attempts failed`,
        }}
      />
    </Screen>
  );
}

/** Creates a webhook, and shows its secret once. */
export function NewWebhook() {
  const [, navigate] = useLocation();
  const create = async (request: WebhookCreateRequest) => {
    const created = await api.webhooks.create(request);
    navigate(`/webhooks/${created.id}`);
    showSecret(created);
  };
  return (
    <Screen title="New webhook">
      <Form fields={useFields()} initial={{ events: ['*'] }} action="Create" save={create} />
    </Screen>
  );
}

const secretHint = 'The receiver verifies signatures with it. Only one of both is needed.';
const standardLabel = 'The same secret for libraries of Standard Webhooks';

type Shared = Pick<WebhookSecret, 'secret' | 'standardWebhooksSecret'>;

const showSecret = ({ secret, standardWebhooksSecret }: Shared) =>
  showSecrets(
    { label: 'Secret', hint: secretHint, text: secret },
    { label: standardLabel, hint: '', text: standardWebhooksSecret },
  );

/** One webhook: its state, its deliveries and its settings. */
export function WebhookScreen({ params: { id } }: { readonly params: { readonly id: string } }) {
  const { value: webhook, error, setValue } = useLoaded(id, () => api.webhooks.get(id));
  const fields = useFields(webhook?.headerNames);
  if (!webhook) return <Loading error={error} />;
  const { url, description, isActive, headerNames } = webhook;
  const update = async (request: WebhookUpdateRequest) =>
    setValue(await api.webhooks.update(id, request));
  const isWriter = may('webhooks:write');
  return (
    <Screen title={url}>
      <p>{description}</p>
      <p>
        State: {stateOf(webhook)}{' '}
        {isWriter && (
          <Action
            name={isActive ? 'Pause' : 'Resume'}
            of={url}
            work={() => update({ isActive: !isActive })}
            done={isActive ? 'Paused: pending deliveries wait' : 'Resumed'}
            undo={() => update({ isActive })}
          />
        )}
      </p>
      <Deliveries webhook={webhook} />
      {isWriter && (
        <>
          <Part title="Settings">
            <Form<WebhookUpdateRequest>
              fields={fields}
              record={webhook}
              action="Save"
              save={update}
              done="Saved the webhook"
            />
          </Part>
          <Part title="Secret and deletion">
            <p class="hint">A replaced secret signs for one more day, beside the new one.</p>
            <p class="row">
              <Action
                name="Replace the secret"
                of={url}
                work={async () => showSecret(await api.webhooks.rotateSecret(id))}
              />
              {headerNames.length > 0 && (
                <Action
                  name="Remove the headers"
                  of={headerNames.join(', ')}
                  ask="This cannot be undone: nobody can read their values."
                  work={() => update({ headers: null })}
                  done="Removed the headers"
                />
              )}
              <Action
                name="Delete"
                of={url}
                ask="This cannot be undone. Its deliveries are deleted, and pending ones are not sent."
                work={() => api.webhooks.delete(id)}
                done="Deleted the webhook"
                to="/webhooks"
              />
            </p>
          </Part>
        </>
      )}
    </Screen>
  );
}

const statuses = select('status', 'Status', [
  ['', 'all'],
  ...optionsOf(['pending', 'delivered', 'failed']),
]);

function Deliveries({ webhook: { id, events } }: { readonly webhook: Webhook }) {
  const [shown, setShown] = useState<Delivery>();
  const send = async (made: PromiseLike<Delivery>) => notify(outcomeOf(await settled(await made)));
  const isWriter = may('webhooks:write');
  const types = optionsOf(events.filter((type) => type !== '*'));
  return (
    <Part title="Deliveries">
      {isWriter && (
        <Form<{ type?: EventType }>
          class="line"
          label="Test"
          fields={types.length > 1 ? [select('type', 'Type of the test', types)] : []}
          action="Send a test event"
          save={(request) => send(api.webhooks.test(id, request))}
        />
      )}
      <List<Delivery, DeliveryListQuery>
        read={(query) => api.webhooks.deliveries(id, query)}
        filters={[statuses]}
        none="No deliveries."
        columns={{
          Event: ({ eventType }) => eventType,
          Status: ({ status }) => status,
          Attempts: ({ attempts }) => attempts,
          Created: ({ createdAt }) => <Time at={createdAt} />,
          Details: (delivery) => (
            <Button class="plain" onClick={() => setShown(delivery)}>
              Details
            </Button>
          ),
          ...(isWriter && {
            Actions: (delivery) => (
              <Action
                name="Resend"
                of={delivery.eventType}
                work={() => send(api.webhooks.replay(id, delivery.id))}
              />
            ),
          }),
        }}
        notes={{
          Status: ({ lastError, lastStatusCode }) => lastError ?? lastStatusCode,
          Attempts: ({ nextAttemptAt }) => nextAttemptAt && <Time at={nextAttemptAt} />,
        }}
      />
      {shown && <Details {...shown} onClose={() => setShown(undefined)} />}
    </Part>
  );
}

/** Waits a few seconds for the first attempt of a new delivery. */
async function settled(delivery: Delivery): Promise<Delivery> {
  let latest = delivery;
  for (let tries = 0; tries < 10 && latest.attempts === 0; tries++) {
    await new Promise((resolve) => setTimeout(resolve, 500));
    latest = await api.webhooks.delivery(delivery.webhookId, delivery.id);
  }
  return latest;
}

function outcomeOf({ status, attempts, lastStatusCode, lastError }: Delivery): string {
  if (status === 'delivered') return `Delivered: the receiver answered ${lastStatusCode}`;
  return attempts === 0 ? 'The event waits to be sent' : `Not delivered: ${lastError}`;
}

function Details({ webhookId, id, onClose }: Delivery & { readonly onClose: () => void }) {
  const { value, error } = useLoaded(id, () => api.webhooks.delivery(webhookId, id));
  return (
    <Dialog title={`Delivery ${id}`} onClose={onClose}>
      {!value && <Loading error={error} />}
      <h3>Body</h3>
      <pre>{value?.requestBody}</pre>
      {value?.attemptHistory.map(({ number, statusCode, attemptedAt, ...attempt }) => (
        <Fragment key={number}>
          <h3>
            Attempt {number}: {statusCode ?? 'no response'}
          </h3>
          <p class="hint">
            <Time at={attemptedAt} />, {attempt.durationMs} ms. {attempt.error}
          </p>
          <pre>{attempt.responseBody}</pre>
        </Fragment>
      ))}
    </Dialog>
  );
}
