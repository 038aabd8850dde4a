import type { Domain, DomainTxtRecord } from '@shorty/sdk';
import { useState } from 'preact/hooks';
import { Link, useLocation } from 'wouter-preact';
import { api } from '../api.js';
import { ConfirmButton } from '../components/confirm.js';
import { CopyButton } from '../components/copy.js';
import { Check, Field, FormError, useSubmit } from '../components/form.js';
import { Loading, useLoaded } from '../components/loaded.js';
import { PageEnd, pageQuery, usePages } from '../components/paged-table.js';
import { Table } from '../components/table.js';
import { Time } from '../components/time.js';
import { notify } from '../components/toasts.js';
import { may } from '../session.js';

const stateOf = ({ isActive }: Domain) => (isActive ? 'active' : 'not verified');

/** The custom domains of an organization. */
export function Domains() {
  const list = usePages<Domain>('', (after) => api.domains.list(pageQuery(after)));
  return (
    <>
      <h1>Domains</h1>
      {may('domains:write') && <AddDomain />}
      <Table heads={['Domain', 'State', 'Added']}>
        {list.items.map((domain) => (
          <tr key={domain.id} class={domain.isActive ? '' : 'inactive'}>
            <td>
              <Link href={`/domains/${domain.id}`}>{domain.hostname}</Link>
            </td>
            <td>{stateOf(domain)}</td>
            <td>
              <Time at={domain.createdAt} />
            </td>
          </tr>
        ))}
      </Table>
      <PageEnd list={list} none="No domains yet. Links are on the address of this server." />
    </>
  );
}

function AddDomain() {
  const [, navigate] = useLocation();
  const [hostname, setHostname] = useState('');
  const { submit, errors, isBusy } = useSubmit(async () => {
    const { id } = await api.domains.create({ hostname: hostname.trim() });
    navigate(`/domains/${id}`);
  });
  return (
    <form class="shorten" onSubmit={submit}>
      <Field
        label="New domain"
        placeholder="go.example.com"
        hint="A name that you own, and that is for short links only."
        autocapitalize="none"
        spellcheck={false}
        required
        value={hostname}
        error={errors.fields.hostname}
        onInput={({ currentTarget }) => setHostname(currentTarget.value)}
      />
      <button type="submit" disabled={isBusy}>
        Add
      </button>
      {errors.fields.hostname === undefined && <FormError errors={errors} />}
    </form>
  );
}

/** One domain: its verification and its settings. */
export function DomainScreen({ params: { id = '' } }: { readonly params: { id?: string } }) {
  const { value: domain, error, setValue } = useLoaded(id, () => api.domains.get(id));
  if (!domain) return <Loading error={error} />;
  return (
    <>
      <h1>{domain.hostname}</h1>
      <p>
        <Link href="/domains">All domains</Link>
      </p>
      {domain.isActive ? (
        <p>The domain is active: links are served on it.</p>
      ) : (
        <Verify domain={domain} onChanged={setValue} />
      )}
      {may('domains:write') && (
        <>
          <Settings key={domain.updatedAt} domain={domain} onChanged={setValue} />
          <DeleteDomain domain={domain} />
        </>
      )}
    </>
  );
}

/** The TXT record of a pending domain, and its look-up. */
function Verify({
  domain: { id, hostname, txtRecord, lastError },
  onChanged,
}: {
  readonly domain: Domain;
  readonly onChanged: (domain: Domain) => void;
}) {
  const { submit, errors, isBusy } = useSubmit(async () => {
    onChanged(await api.domains.verify(id));
    notify(`${hostname} is active`);
  });
  const problem = errors.form ?? lastError;
  return (
    <section aria-labelledby="verification">
      <h2 id="verification">Verification</h2>
      <p>
        Set this record at the provider of your DNS. It proves that the domain is yours, and may be
        removed afterwards.
      </p>
      <Record record={txtRecord} />
      <p>
        Let <code>{hostname}</code> itself lead to this server by a record of type CNAME, A or AAAA.
      </p>
      {may('domains:write') && (
        <form onSubmit={submit}>
          <button type="submit" disabled={isBusy}>
            {isBusy ? 'Looking up…' : 'Verify'}
          </button>
        </form>
      )}
      {problem != null && (
        <p class="error" role="alert">
          {problem}
        </p>
      )}
    </section>
  );
}

function Record({ record }: { readonly record: DomainTxtRecord }) {
  return (
    <dl class="record">
      <dt>Type</dt>
      <dd>{record.type}</dd>
      <dt>Name</dt>
      <dd>
        <code>{record.name}</code> <CopyButton text={record.name} label="the name" />
      </dd>
      <dt>Value</dt>
      <dd>
        <code>{record.value}</code> <CopyButton text={record.value} label="the value" />
      </dd>
    </dl>
  );
}

const targets = [
  ['rootUrl', 'Where the bare domain leads'],
  ['notFoundUrl', 'Where addresses without a link lead'],
  ['expiredUrl', 'Where links lead that are expired, paused or deleted'],
] as const;

const switches = [
  ['ignoreCase', 'Find links in upper and lower case'],
  ['forwardQuery', 'Add the query of a visit to the target, unless a link says otherwise'],
  ['forwardPath', 'Add the path after a link to the target, unless a link says otherwise'],
] as const;

function Settings({
  domain,
  onChanged,
}: {
  readonly domain: Domain;
  readonly onChanged: (domain: Domain) => void;
}) {
  const [draft, setDraft] = useState(domain);
  const { submit, errors, isBusy } = useSubmit(async () => {
    const urls = targets.map(([name]) => [name, draft[name]?.trim() || null]);
    const flags = switches.map(([name]) => [name, draft[name]]);
    onChanged(await api.domains.update(domain.id, Object.fromEntries([...urls, ...flags])));
    notify(`Saved the settings of ${domain.hostname}`);
  });
  const isField = targets.some(([name]) => errors.fields[name] !== undefined);
  return (
    <form onSubmit={submit} aria-labelledby="settings">
      <h2 id="settings">Settings</h2>
      {targets.map(([name, label]) => (
        <Field
          key={name}
          label={label}
          type="url"
          placeholder="https://www.example.com/"
          hint="Empty: a page of this server."
          value={draft[name] ?? ''}
          error={errors.fields[name]}
          onInput={({ currentTarget }) => setDraft({ ...draft, [name]: currentTarget.value })}
        />
      ))}
      {switches.map(([name, label]) => (
        <Check
          key={name}
          label={label}
          checked={draft[name]}
          onChange={({ currentTarget }) => setDraft({ ...draft, [name]: currentTarget.checked })}
        />
      ))}
      {!isField && <FormError errors={errors} />}
      <button type="submit" disabled={isBusy}>
        Save
      </button>
    </form>
  );
}

function DeleteDomain({ domain: { id, hostname } }: { readonly domain: Domain }) {
  const [, navigate] = useLocation();
  return (
    <section aria-labelledby="deletion">
      <h2 id="deletion">Deletion</h2>
      <ConfirmButton
        action="Delete"
        label={`Delete ${hostname}`}
        title={`Delete ${hostname}?`}
        work={async () => {
          await api.domains.delete(id);
          navigate('/domains');
          notify(`Deleted ${hostname}`);
        }}
      >
        This cannot be undone. A domain with active links is not deleted. Paused links on it stay,
        and work again once the domain is added and verified again.
      </ConfirmButton>
    </section>
  );
}
