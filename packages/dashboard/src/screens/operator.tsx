import {
  type BlockedHost,
  type Organization,
  type OrganizationCreateRequest,
  Shorty,
  type Takedown,
} from '@shorty/sdk';
import { useState } from 'preact/hooks';
import { showSecrets } from '../components/copy.js';
import { Button, Loading, Part, Screen, Time, useLoaded } from '../components/elements.js';
import { Action, Form } from '../components/form.js';
import { List, type Paged, type PageQuery } from '../components/list.js';
import { type Field, field } from '../fields.js';

type Admin = Shorty['admin'];

const key = field('key', 'Operator key', {
  kind: 'password',
  autocomplete: 'off',
  hint: 'SHORTY_OPERATOR_KEY of the server. It stays in the memory of this page.',
  required: true,
});

const organization: readonly Field[] = [
  field('name', 'Name', { required: true }),
  field('plan', 'Plan', { required: true, hint: 'Such as scale, or a plan of SHORTY_PLANS.' }),
];

/** What the operator of the server does. The key is lost when the screen is left. */
export function Operator() {
  const [admin, setAdmin] = useState<Admin>();
  const open = async (request: { readonly key: string }) => {
    // The server ignores the cookie of the session where it gets a key.
    const { admin } = new Shorty({ baseUrl: location.origin, apiKey: request.key });
    await admin.organizations.list({ limit: 1 });
    setAdmin(admin);
  };
  if (!admin) {
    return (
      <Screen title="Operator">
        <Form class="narrow" fields={[key]} action="Open" save={open} />
      </Screen>
    );
  }
  const { takedowns, blockedHosts } = admin;
  return (
    <Screen title="Operator">
      <Button onClick={() => setAdmin(undefined)}>Forget the key</Button>
      <Health />
      <Organizations admin={admin} />
      <Bans<Takedown>
        title="Links taken down"
        action="Take down"
        undo="Undo takedown"
        subject={field('shortUrl', 'Short link', { required: true })}
        nameOf={({ shortUrl }) => shortUrl}
        add={({ shortUrl, reason }) => takedowns.create({ shortUrl, reason })}
        read={(query) => takedowns.list(query)}
        remove={({ id }) => takedowns.delete(id)}
      />
      <Bans<BlockedHost>
        title="Blocked hosts"
        action="Block"
        undo="Unblock"
        subject={field('host', 'Host', { required: true })}
        nameOf={({ host }) => host}
        add={({ host, reason }) => blockedHosts.create({ host, reason })}
        read={(query) => blockedHosts.list(query)}
        remove={({ host }) => blockedHosts.delete(host)}
      />
    </Screen>
  );
}

/** The answers of the addresses that monitoring reads, which need no key. */
async function readHealth() {
  const [live, ready] = await Promise.all([fetch('/health/live'), fetch('/health/ready')]);
  const { version } = (await live.json()) as { readonly version?: string };
  return { version, isReady: ready.ok, text: await ready.text() };
}

function Health() {
  const [checks, setChecks] = useState(0);
  const { value, error } = useLoaded(checks, readHealth);
  return (
    <Part title="Health">
      {!value && <Loading error={error} />}
      {value && `Version ${value.version}: ${value.isReady ? 'ready' : 'not ready'}`}
      <pre>{value?.text}</pre>
      <Button onClick={() => setChecks(checks + 1)}>Check again</Button>
    </Part>
  );
}

function Organizations({ admin }: { readonly admin: Admin }) {
  const create = async (request: OrganizationCreateRequest) => {
    const { name, clientId, clientSecret } = await admin.organizations.create(request);
    const hint = 'The first client has every scope but urls:erase.';
    showSecrets(
      { label: `Client id of ${name}`, hint, text: clientId },
      { label: `Client secret of ${name}`, hint: '', text: clientSecret },
    );
  };
  return (
    <Part title="Organizations">
      <Form
        class="line"
        label="Create an organization"
        fields={organization}
        initial={{ plan: 'free' }}
        action="Create organization"
        save={create}
      />
      <List<Organization>
        read={(query) => admin.organizations.list(query)}
        none="No organizations."
        columns={{
          Name: ({ name }) => name,
          Plan: ({ plan }) => plan,
          'Active links': ({ activeUrls }) => `${activeUrls.toLocaleString()} links`,
          Since: ({ createdAt }) => <Time at={createdAt} />,
          Actions: (each) => each.deletedAt === null && <Suspend admin={admin} {...each} />,
        }}
        notes={{
          Name: ({ suspendedAt, deletedAt }) =>
            deletedAt === null ? suspendedAt !== null && 'suspended' : 'is being deleted',
        }}
      />
    </Part>
  );
}

function Suspend({ admin, id, name, suspendedAt }: Organization & { readonly admin: Admin }) {
  const isSuspended = suspendedAt !== null;
  const set = (isSuspended: boolean) => () => admin.organizations.update(id, { isSuspended });
  return (
    <Action
      name={isSuspended ? 'Resume' : 'Suspend'}
      of={name}
      work={set(!isSuspended)}
      done={`${name}: ${isSuspended ? 'resumed' : 'suspended'}`}
      undo={set(isSuspended)}
    />
  );
}

type Ban = Pick<Takedown, 'reason' | 'createdAt'>;

interface BansProps<Banned extends Ban> {
  readonly title: string;
  /** What the buttons say that add one and remove it. */
  readonly action: string;
  readonly undo: string;
  readonly subject: Field;
  readonly nameOf: (ban: Banned) => string;
  readonly add: (ban: Banned) => PromiseLike<unknown>;
  readonly read: (query: PageQuery) => PromiseLike<Paged<Banned>>;
  readonly remove: (ban: Banned) => PromiseLike<unknown>;
}

/** What the operator has banned, each with a reason that the owner sees. */
function Bans<Banned extends Ban>(props: BansProps<Banned>) {
  const { title, action, undo, subject, nameOf, add, read, remove } = props;
  return (
    <Part title={title}>
      <Form<Banned>
        class="line"
        label={action}
        fields={[subject, field('reason', 'Reason', { required: true })]}
        action={action}
        save={add}
      />
      <List<Banned>
        read={read}
        keyOf={nameOf}
        none="None."
        columns={{
          [subject.label]: nameOf,
          Reason: ({ reason }) => reason,
          Since: ({ createdAt }) => <Time at={createdAt} />,
          Actions: (ban) => (
            <Action
              name={undo}
              of={nameOf(ban)}
              work={() => remove(ban)}
              done={`${undo}: ${nameOf(ban)}`}
              undo={() => add(ban)}
            />
          ),
        }}
      />
    </Part>
  );
}
