import type { BlockedHost, Organization, OrganizationCreated, Shorty, Takedown } from '@shorty/sdk';
import { useState } from 'preact/hooks';
import { Field, FormError, Select, useSubmit } from '../components/form.js';
import { Loading, useLoaded } from '../components/loaded.js';
import { PageEnd, usePages } from '../components/paged-table.js';
import { run } from '../components/run.js';
import { Secret } from '../components/secret.js';
import { Table } from '../components/table.js';
import { Time } from '../components/time.js';
import { notify } from '../components/toasts.js';
import { operatorApi } from '../operator-api.js';

const plans = ['free', 'developer', 'scale', 'enterprise'] as const;

type Plan = (typeof plans)[number];

interface WithClient {
  readonly client: Shorty;
}

const pageOf = (after: string | undefined) => ({
  limit: 50,
  ...(after !== undefined && { after }),
});

/** What the operator of the server does. The key is lost when the screen is left. */
export function Operator() {
  const [client, setClient] = useState<Shorty | undefined>();
  return (
    <>
      <h1>Operator</h1>
      {client ? (
        <>
          <button type="button" onClick={() => setClient(undefined)}>
            Forget the key
          </button>
          <Health />
          <Organizations client={client} />
          <Takedowns client={client} />
          <BlockedHosts client={client} />
        </>
      ) : (
        <AskKey onClient={setClient} />
      )}
    </>
  );
}

function AskKey({ onClient }: { readonly onClient: (client: Shorty) => void }) {
  const [key, setKey] = useState('');
  const { submit, errors, isBusy } = useSubmit(async () => {
    const client = operatorApi(key.trim());
    await client.admin.organizations.list({ limit: 1 });
    onClient(client);
  });
  return (
    <form class="narrow" onSubmit={submit}>
      <Field
        label="Operator key"
        hint="SHORTY_OPERATOR_KEY of the server. It stays in the memory of this page."
        type="password"
        autocomplete="off"
        required
        value={key}
        onInput={({ currentTarget }) => setKey(currentTarget.value)}
      />
      <FormError errors={errors} />
      <button type="submit" disabled={isBusy}>
        Open
      </button>
    </form>
  );
}

/** The answers of the addresses that monitoring reads, which need no key. */
async function readHealth() {
  const [live, ready] = await Promise.all([fetch('/health/live'), fetch('/health/ready')]);
  const { version } = (await live.json()) as { readonly version?: string };
  return { version, isReady: ready.ok, text: await ready.text() };
}

function Health() {
  const { value, error, reload } = useLoaded('health', readHealth);
  return (
    <section aria-labelledby="health">
      <h2 id="health">Health</h2>
      {value ? (
        <>
          <p>
            Version {value.version}: {value.isReady ? 'ready' : 'not ready'}
          </p>
          <pre>{value.text}</pre>
        </>
      ) : (
        <Loading error={error} />
      )}
      <button type="button" onClick={reload}>
        Check again
      </button>
    </section>
  );
}

function Organizations({ client }: WithClient) {
  const [created, setCreated] = useState<OrganizationCreated | undefined>();
  const list = usePages<Organization>('organizations', (after) =>
    client.admin.organizations.list(pageOf(after)),
  );
  const setSuspended = async ({ id }: Organization, isSuspended: boolean) => {
    await client.admin.organizations.update(id, { isSuspended });
    list.reload();
  };
  const toggle = (organization: Organization) =>
    run(async () => {
      const suspends = organization.suspendedAt === null;
      await setSuspended(organization, suspends);
      notify(`${organization.name}: ${suspends ? 'suspended' : 'resumed'}`, () =>
        setSuspended(organization, !suspends),
      );
    });
  return (
    <section aria-labelledby="organizations">
      <h2 id="organizations">Organizations</h2>
      <CreateOrganization
        client={client}
        onCreated={(organization) => {
          setCreated(organization);
          list.reload();
        }}
      />
      {created && (
        <>
          <Secret
            label={`Client id of ${created.name}`}
            hint="The first client of the organization, with every scope but urls:erase."
            text={created.clientId}
          />
          <Secret
            label={`Client secret of ${created.name}`}
            hint="It is not shown again."
            text={created.clientSecret}
          />
        </>
      )}
      <Table heads={['Name', 'Plan', 'Active links', 'Since', 'Actions']}>
        {list.items.map((organization) => (
          <tr key={organization.id}>
            <td>
              {organization.name}
              <StateOf organization={organization} />
            </td>
            <td>{organization.plan}</td>
            <td>{organization.activeUrls.toLocaleString()} links</td>
            <td>
              <Time at={organization.createdAt} />
            </td>
            <td class="actions">
              {organization.deletedAt === null && (
                <button
                  type="button"
                  class="plain"
                  aria-label={`${organization.suspendedAt === null ? 'Suspend' : 'Resume'} ${organization.name}`}
                  onClick={() => void toggle(organization)}
                >
                  {organization.suspendedAt === null ? 'Suspend' : 'Resume'}
                </button>
              )}
            </td>
          </tr>
        ))}
      </Table>
      <PageEnd list={list} none="No organizations." />
    </section>
  );
}

function StateOf({
  organization: { suspendedAt, deletedAt },
}: {
  readonly organization: Organization;
}) {
  if (deletedAt !== null) return <span class="state">is being deleted</span>;
  return suspendedAt === null ? null : (
    <span class="state">
      suspended since <Time at={suspendedAt} />
    </span>
  );
}

function CreateOrganization({
  client,
  onCreated,
}: WithClient & { readonly onCreated: (organization: OrganizationCreated) => void }) {
  const [name, setName] = useState('');
  const [plan, setPlan] = useState<Plan>('free');
  const { submit, errors, isBusy } = useSubmit(async () => {
    onCreated(await client.admin.organizations.create({ name: name.trim(), plan }));
    setName('');
  });
  return (
    <form class="line" onSubmit={submit} aria-label="Create an organization">
      <Field
        label="Name"
        required
        value={name}
        error={errors.fields.name}
        onInput={({ currentTarget }) => setName(currentTarget.value)}
      />
      <Select
        label="Plan"
        value={plan}
        options={plans.map((each) => [each, each] as const)}
        onChange={({ currentTarget }) => setPlan(currentTarget.value as Plan)}
      />
      <button type="submit" disabled={isBusy}>
        Create organization
      </button>
      <FormError errors={errors} />
    </form>
  );
}

function Takedowns({ client: { admin } }: WithClient) {
  const list = usePages<Takedown>('takedowns', (after) => admin.takedowns.list(pageOf(after)));
  const add = async (shortUrl: string, reason: string) => {
    await admin.takedowns.create({ shortUrl, reason });
    list.reload();
  };
  const undo = async ({ id }: Takedown) => {
    await admin.takedowns.delete(id);
    list.reload();
  };
  return (
    <section aria-labelledby="takedowns">
      <h2 id="takedowns">Links taken down</h2>
      <AddWithReason name="shortUrl" label="Short link" action="Take down" add={add} />
      <Table heads={['Link', 'Reason, which the owner sees', 'Since', 'Actions']}>
        {list.items.map((takedown) => (
          <tr key={takedown.id}>
            <td>
              {takedown.shortUrl}
              <span class="target">{takedown.targetUrl}</span>
            </td>
            <td>{takedown.reason}</td>
            <td>
              <Time at={takedown.createdAt} />
            </td>
            <td class="actions">
              <RemoveButton
                action="Undo takedown"
                name={takedown.shortUrl}
                remove={() => undo(takedown)}
                restore={() => add(takedown.shortUrl, takedown.reason)}
              />
            </td>
          </tr>
        ))}
      </Table>
      <PageEnd list={list} none="None." />
    </section>
  );
}

function BlockedHosts({ client: { admin } }: WithClient) {
  const list = usePages<BlockedHost>('hosts', (after) => admin.blockedHosts.list(pageOf(after)));
  const add = async (host: string, reason: string) => {
    await admin.blockedHosts.create({ host, reason });
    list.reload();
  };
  const remove = async (host: string) => {
    await admin.blockedHosts.delete(host);
    list.reload();
  };
  return (
    <section aria-labelledby="hosts">
      <h2 id="hosts">Blocked hosts</h2>
      <AddWithReason name="host" label="Host" action="Block" add={add} />
      <Table heads={['Host, with its subdomains', 'Reason', 'Since', 'Actions']}>
        {list.items.map(({ host, reason, createdAt }) => (
          <tr key={host}>
            <td>{host}</td>
            <td>{reason}</td>
            <td>
              <Time at={createdAt} />
            </td>
            <td class="actions">
              <RemoveButton
                action="Unblock"
                name={host}
                remove={() => remove(host)}
                restore={() => add(host, reason)}
              />
            </td>
          </tr>
        ))}
      </Table>
      <PageEnd list={list} none="None." />
    </section>
  );
}

/** A form of a name and a reason. `name` is that of its field in the API. */
function AddWithReason({
  name,
  label,
  action,
  add,
}: {
  readonly name: string;
  readonly label: string;
  readonly action: string;
  readonly add: (value: string, reason: string) => Promise<void>;
}) {
  const [value, setValue] = useState('');
  const [reason, setReason] = useState('');
  const { submit, errors, isBusy } = useSubmit(async () => {
    await add(value.trim(), reason.trim());
    setValue('');
    setReason('');
  });
  return (
    <form class="line" onSubmit={submit} aria-label={action}>
      <Field
        label={label}
        required
        value={value}
        error={errors.fields[name]}
        onInput={({ currentTarget }) => setValue(currentTarget.value)}
      />
      <Field
        label="Reason"
        required
        value={reason}
        error={errors.fields.reason}
        onInput={({ currentTarget }) => setReason(currentTarget.value)}
      />
      <button type="submit" disabled={isBusy}>
        {action}
      </button>
      <FormError errors={errors} />
    </form>
  );
}

function RemoveButton({
  action,
  name,
  remove,
  restore,
}: {
  readonly action: string;
  readonly name: string;
  readonly remove: () => Promise<void>;
  readonly restore: () => Promise<void>;
}) {
  const removeIt = async () => {
    await remove();
    notify(`${action}: ${name}`, restore);
  };
  return (
    <button
      type="button"
      class="plain"
      aria-label={`${action} ${name}`}
      onClick={() => void run(removeIt)}
    >
      {action}
    </button>
  );
}
