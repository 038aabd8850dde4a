import type {
  Domain,
  DomainCreateRequest,
  DomainListQuery,
  DomainUpdateRequest,
} from '@shorty/sdk';
import { Link, useLocation } from 'wouter-preact';
import { CopyButton } from '../components/copy.js';
import { Loading, Part, Screen, Time, useLoaded } from '../components/elements.js';
import { Action, Form, section } from '../components/form.js';
import { List } from '../components/list.js';
import { field, type Option } from '../fields.js';
import { api, may } from '../session.js';

/** Reads the custom domains as choices: links can be made on those that are active. */
export function useDomains(query: DomainListQuery = {}): readonly Option[] {
  const { value = [] } = useLoaded('domains', async () =>
    may('domains:read') ? api.domains.list(query).toArray({ limit: 100 }) : [],
  );
  return value.map(({ id, hostname }) => [id, hostname]);
}

const newDomain = field('hostname', 'New domain', {
  placeholder: 'go.example.com',
  hint: 'A name that you own, and that is for short links only.',
  required: true,
});

const page = { kind: 'url', hint: 'Empty: a page of this server.' } as const;

const settings = [
  field('rootUrl', 'Where the bare domain leads', page),
  field('notFoundUrl', 'Where addresses without a link lead', page),
  field('expiredUrl', 'Where links lead that are expired, paused or deleted', page),
  field('ignoreCase', 'Find links in upper and lower case', { kind: 'check' }),
  field('forwardQuery', 'Add the query of a visit to the target', { kind: 'check' }),
  field('forwardPath', 'Add the path after a link to the target', { kind: 'check' }),
  section('Links that open in apps', [
    field('appleAppSiteAssociation', 'For iOS: /.well-known/apple-app-site-association', {
      kind: 'json',
      hint: 'A JSON object, such as {"applinks": {"details": []}}',
    }),
    field('assetLinks', 'For Android: /.well-known/assetlinks.json', {
      kind: 'json',
      hint: 'A JSON list of statements.',
    }),
  ]),
] as const;

/** The custom domains of an organization. */
export function Domains() {
  const [, navigate] = useLocation();
  const add = async (request: DomainCreateRequest) => {
    const { id } = await api.domains.create(request);
    navigate(`/domains/${id}`);
  };
  return (
    <Screen title="Domains">
      {may('domains:write') && <Form class="line" fields={[newDomain]} action="Add" save={add} />}
      <List<Domain>
        read={(query) => api.domains.list(query)}
        none="No domains yet. Links are on the address of this server."
        columns={{
          Domain: ({ id, hostname }) => <Link href={`/domains/${id}`}>{hostname}</Link>,
          State: ({ isActive }) => (isActive ? 'active' : 'not verified'),
          Added: ({ createdAt }) => <Time at={createdAt} />,
        }}
      />
    </Screen>
  );
}

/** One domain: its verification and its settings. */
export function DomainScreen({ params: { id } }: { readonly params: { readonly id: string } }) {
  const { value: domain, error, setValue } = useLoaded(id, () => api.domains.get(id));
  if (!domain) return <Loading error={error} />;
  const { hostname, isActive } = domain;
  return (
    <Screen title={hostname}>
      <Link href="/domains">All domains</Link>
      {isActive && <p>The domain is active: links are served on it.</p>}
      {!isActive && <Verification domain={domain} onVerified={setValue} />}
      {may('domains:write') && (
        <>
          <Part title="Settings">
            <Form<DomainUpdateRequest>
              fields={settings}
              record={domain}
              action="Save"
              save={async (request) => setValue(await api.domains.update(id, request))}
              done={`Saved the settings of ${hostname}`}
            />
          </Part>
          <Part title="Deletion">
            <Action
              name="Delete"
              of={hostname}
              ask="This cannot be undone. A domain with active links is not deleted. Paused links on it stay, and work again once the domain is added and verified again."
              work={() => api.domains.delete(id)}
              done={`Deleted ${hostname}`}
              to="/domains"
            />
          </Part>
        </>
      )}
    </Screen>
  );
}

type Unverified = { readonly domain: Domain; readonly onVerified: (domain: Domain) => void };

/** The TXT record of a domain that is not verified, and its look-up. */
function Verification({ domain, onVerified }: Unverified) {
  const { id, hostname, txtRecord, lastError } = domain;
  return (
    <Part title="Verification">
      <p>
        Set this record at the provider of your DNS. It proves that the domain is yours, and may be
        removed afterwards.
      </p>
      <p>Type: {txtRecord.type}</p>
      <p>
        Name: <code>{txtRecord.name}</code> <CopyButton text={txtRecord.name} label="the name" />
      </p>
      <p>
        Value: <code>{txtRecord.value}</code>{' '}
        <CopyButton text={txtRecord.value} label="the value" />
      </p>
      <p>
        Let <code>{hostname}</code> itself lead to this server by a record of type CNAME, A or AAAA.
      </p>
      <p class="error">{lastError}</p>
      <Form
        fields={[]}
        action={may('domains:write') ? 'Verify' : undefined}
        save={async () => onVerified(await api.domains.verify(id))}
        done={`${hostname} is active`}
      />
    </Part>
  );
}
