import type {
  Delivery,
  DeliveryListQuery,
  EventType,
  SubscribedEventType,
  Webhook,
  WebhookCreated,
} from '@shorty/sdk';
import { useState } from 'preact/hooks';
import { Link, useLocation } from 'wouter-preact';
import { api } from '../api.js';
import { ConfirmButton } from '../components/confirm.js';
import { Check, Dialog, Field, FormError, Select, useSubmit } from '../components/form.js';
import { Loading, useLoaded } from '../components/loaded.js';
import { PageEnd, pageQuery, usePages } from '../components/paged-table.js';
import { run } from '../components/run.js';
import { Secret } from '../components/secret.js';
import { Table } from '../components/table.js';
import { Time } from '../components/time.js';
import { notify } from '../components/toasts.js';
import { may } from '../session.js';

function stateOf({ isActive, disabledReason }: Webhook): string {
  if (isActive) return 'active';
  return disabledReason === null ? 'paused' : 'stopped, because every attempt failed';
}

/** The webhooks of an organization. */
export function Webhooks() {
  const list = usePages<Webhook>('', (after) => api.webhooks.list(pageQuery(after)));
  return (
    <>
      <h1>Webhooks</h1>
      {may('webhooks:write') && (
        <p>
          <Link href="/webhooks/new">New webhook</Link>
        </p>
      )}
      <Table heads={['Receiver', 'Events', 'State']}>
        {list.items.map((webhook) => (
          <tr key={webhook.id} class={webhook.isActive ? '' : 'inactive'}>
            <td>
              <Link href={`/webhooks/${webhook.id}`}>{webhook.url}</Link>
              {webhook.description !== null && <span class="target">{webhook.description}</span>}
            </td>
            <td>{webhook.events.map((type) => (type === '*' ? 'all' : type)).join(', ')}</td>
            <td>
              {stateOf(webhook)}
              {webhook.failureRate !== null && webhook.failureRate > 0 && (
                <span class="state">
                  {webhook.failureRate.toLocaleString(undefined, { style: 'percent' })} of recent
                  attempts failed
                </span>
              )}
            </td>
          </tr>
        ))}
      </Table>
      <PageEnd list={list} none="No webhooks yet. A webhook tells your programs of events." />
    </>
  );
}

/** Creates a webhook, and shows its secret once. */
export function NewWebhook() {
  const [created, setCreated] = useState<WebhookCreated | undefined>();
  if (!created) {
    return (
      <>
        <h1>New webhook</h1>
        <WebhookForm
          name="Create"
          save={async (fields) => setCreated(await api.webhooks.create(fields))}
        />
      </>
    );
  }
  return (
    <>
      <h1>The secret of the webhook</h1>
      <Secrets {...created} />
      <p>
        <Link href={`/webhooks/${created.id}`}>I have kept it: to the webhook</Link>
      </p>
    </>
  );
}

type Shown = Pick<WebhookCreated, 'secret' | 'standardWebhooksSecret'>;

function Secrets({ secret, standardWebhooksSecret }: Shown) {
  return (
    <>
      <Secret
        label="Secret"
        hint="The receiver verifies signatures with it. Copy it now: it is not shown again."
        text={secret}
      />
      <Secret
        label="The same secret for libraries of Standard Webhooks"
        hint="Only one of both is needed."
        text={standardWebhooksSecret}
      />
    </>
  );
}

interface WebhookFields {
  readonly url: string;
  readonly description: string | null;
  readonly events: SubscribedEventType[];
}

function WebhookForm({
  webhook,
  name,
  save,
}: {
  readonly webhook?: Webhook;
  /** What the button says. */
  readonly name: string;
  readonly save: (fields: WebhookFields) => Promise<void>;
}) {
  const types = useLoaded('', () => api.webhooks.eventTypes());
  const [url, setUrl] = useState(webhook?.url ?? '');
  const [description, setDescription] = useState(webhook?.description ?? '');
  const [events, setEvents] = useState<ReadonlySet<SubscribedEventType>>(
    new Set(webhook?.events ?? ['*']),
  );
  const { submit, errors, isBusy } = useSubmit(() =>
    save({ url: url.trim(), description: description.trim() || null, events: [...events] }),
  );
  const toggle = (type: SubscribedEventType) => () => {
    const next = new Set(events);
    if (!next.delete(type)) next.add(type);
    setEvents(next);
  };
  const hasAll = events.has('*');
  return (
    <form onSubmit={submit}>
      <Field
        label="Address of the receiver"
        type="url"
        placeholder="https://example.com/hooks/shorty"
        required
        value={url}
        error={errors.fields.url}
        onInput={({ currentTarget }) => setUrl(currentTarget.value)}
      />
      <Field
        label="Description"
        value={description}
        error={errors.fields.description}
        onInput={({ currentTarget }) => setDescription(currentTarget.value)}
      />
      <fieldset class="checks">
        <legend>Events</legend>
        <Check label="All types, also future ones" checked={hasAll} onChange={toggle('*')} />
        {types.value?.items
          .filter(({ isOptIn }) => isOptIn || !hasAll)
          .map(({ type, description: what }) => (
            <Check
              key={type}
              label={`${type}: ${what}`}
              checked={events.has(type)}
              onChange={toggle(type)}
            />
          ))}
        {types.error !== '' && <Loading error={types.error} />}
      </fieldset>
      {errors.fields.url === undefined && <FormError errors={errors} />}
      <button type="submit" disabled={isBusy || events.size === 0}>
        {name}
      </button>
    </form>
  );
}

/** One webhook: its state, its deliveries and its settings. */
export function WebhookScreen({ params: { id = '' } }: { readonly params: { id?: string } }) {
  const { value: webhook, error, setValue } = useLoaded(id, () => api.webhooks.get(id));
  if (!webhook) return <Loading error={error} />;
  return (
    <>
      <h1>{webhook.url}</h1>
      {webhook.description !== null && <p>{webhook.description}</p>}
      <p>
        State: {stateOf(webhook)} {may('webhooks:write') && <Pause {...{ webhook, setValue }} />}
      </p>
      <Deliveries webhook={webhook} />
      {may('webhooks:write') && (
        <>
          <h2>Settings</h2>
          <WebhookForm
            webhook={webhook}
            name="Save"
            save={async (fields) => {
              setValue(await api.webhooks.update(id, fields));
              notify('Saved the webhook');
            }}
          />
          <h2>Secret and deletion</h2>
          <RotateSecret id={id} />
          <DeleteWebhook webhook={webhook} />
        </>
      )}
    </>
  );
}

function Pause({
  webhook: { id, isActive },
  setValue,
}: {
  readonly webhook: Webhook;
  readonly setValue: (webhook: Webhook) => void;
}) {
  const set = async (isActive: boolean) => setValue(await api.webhooks.update(id, { isActive }));
  const change = async () => {
    if (await run(() => set(!isActive))) {
      notify(isActive ? 'Paused: pending deliveries wait' : 'Resumed', () => set(isActive));
    }
  };
  return (
    <button type="button" class="plain" onClick={() => void change()}>
      {isActive ? 'Pause' : 'Resume'}
    </button>
  );
}

function RotateSecret({ id }: { readonly id: string }) {
  const { submit, errors, isBusy } = useSubmit(async () => {
    setSecret(await api.webhooks.rotateSecret(id));
  });
  const [secret, setSecret] = useState<Shown | undefined>();
  return (
    <form onSubmit={submit}>
      <p class="hint">A new secret; the old one also signs for a day.</p>
      <button type="submit" disabled={isBusy}>
        Replace the secret
      </button>
      <FormError errors={errors} />
      {secret && <Secrets {...secret} />}
    </form>
  );
}

function DeleteWebhook({ webhook: { id, url } }: { readonly webhook: Webhook }) {
  const [, navigate] = useLocation();
  return (
    <p>
      <ConfirmButton
        action="Delete"
        label={`Delete ${url}`}
        title={`Delete the webhook ${url}?`}
        work={async () => {
          await api.webhooks.delete(id);
          navigate('/webhooks');
          notify('Deleted the webhook');
        }}
      >
        This cannot be undone. Its deliveries are deleted, and pending ones are not sent.
      </ConfirmButton>
    </p>
  );
}

const statuses = [
  ['', 'all'],
  ['pending', 'pending'],
  ['delivered', 'delivered'],
  ['failed', 'failed'],
] as const;

function Deliveries({ webhook: { id, events } }: { readonly webhook: Webhook }) {
  const [status, setStatus] = useState('');
  const [shown, setShown] = useState<string | undefined>();
  const list = usePages<Delivery>(status, (after) =>
    api.webhooks.deliveries(id, {
      ...pageQuery(after, 20),
      ...(status !== '' && { status: status as NonNullable<DeliveryListQuery['status']> }),
    }),
  );
  const send = async (made: PromiseLike<Delivery>) => {
    await run(async () => notify(outcomeOf(await settled(await made))));
    list.reload();
  };
  return (
    <section aria-labelledby="deliveries">
      <h2 id="deliveries">Deliveries</h2>
      <div class="filters">
        <Select
          label="Status"
          value={status}
          options={statuses}
          onChange={({ currentTarget }) => setStatus(currentTarget.value)}
        />
        <button type="button" onClick={list.reload}>
          Refresh
        </button>
        {may('webhooks:write') && (
          <SendTest events={events} send={(type) => send(api.webhooks.test(id, type))} />
        )}
      </div>
      <Table heads={['Event', 'Status', 'Attempts', 'Created', 'Actions']}>
        {list.items.map((delivery) => (
          <tr key={delivery.id}>
            <td>{delivery.eventType}</td>
            <td>
              {delivery.status}
              <span class="state">{delivery.lastError ?? delivery.lastStatusCode}</span>
            </td>
            <td>
              {delivery.attempts}
              {delivery.nextAttemptAt !== null && (
                <span class="state">
                  next <Time at={delivery.nextAttemptAt} />
                </span>
              )}
            </td>
            <td>
              <Time at={delivery.createdAt} />
            </td>
            <td class="actions">
              <button type="button" class="plain" onClick={() => setShown(delivery.id)}>
                Details
              </button>
              {may('webhooks:write') && (
                <button
                  type="button"
                  class="plain"
                  onClick={() => void send(api.webhooks.replay(id, delivery.id))}
                >
                  Resend
                </button>
              )}
            </td>
          </tr>
        ))}
      </Table>
      <PageEnd list={list} none="No deliveries." />
      {shown !== undefined && (
        <DeliveryDetails id={id} deliveryId={shown} onClose={() => setShown(undefined)} />
      )}
    </section>
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

function SendTest({
  events,
  send,
}: {
  readonly events: Webhook['events'];
  readonly send: (body: { type?: EventType }) => Promise<void>;
}) {
  const types = events.filter((type) => type !== '*');
  const [type, setType] = useState('');
  const { submit, isBusy } = useSubmit(() => send(type === '' ? {} : { type: type as EventType }));
  return (
    <form class="filters" onSubmit={submit}>
      {types.length > 1 && (
        <Select
          label="Type of the test"
          value={type}
          options={types.map((name) => [name, name] as const)}
          onChange={({ currentTarget }) => setType(currentTarget.value)}
        />
      )}
      <button type="submit" disabled={isBusy}>
        {isBusy ? 'Sending…' : 'Send a test event'}
      </button>
    </form>
  );
}

function DeliveryDetails({
  id,
  deliveryId,
  onClose,
}: {
  readonly id: string;
  readonly deliveryId: string;
  readonly onClose: () => void;
}) {
  const { value, error } = useLoaded(deliveryId, () => api.webhooks.delivery(id, deliveryId));
  return (
    <Dialog title={`Delivery ${deliveryId}`} onClose={onClose}>
      {value ? (
        <>
          <h3>Body</h3>
          <pre>{value.requestBody}</pre>
          {value.attemptHistory.map((attempt) => (
            <section key={attempt.number} aria-label={`Attempt ${attempt.number}`}>
              <h3>
                Attempt {attempt.number}: {attempt.statusCode ?? 'no response'}
              </h3>
              <p class="hint">
                <Time at={attempt.attemptedAt} />, {attempt.durationMs} ms
              </p>
              {attempt.error !== null && <p class="error">{attempt.error}</p>}
              {attempt.responseBody !== null && <pre>{attempt.responseBody}</pre>}
            </section>
          ))}
        </>
      ) : (
        <Loading error={error} />
      )}
      <form method="dialog">
        <button type="submit">Close</button>
      </form>
    </Dialog>
  );
}
