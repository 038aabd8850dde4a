import type { ApiKey, ApiKeyCreated } from '@shorty/sdk';
import { useState } from 'preact/hooks';
import { api } from '../api.js';
import { Confirm } from '../components/confirm.js';
import { Check, Field, FormError, useSubmit } from '../components/form.js';
import { PageEnd, usePages } from '../components/paged-table.js';
import { Secret } from '../components/secret.js';
import { Table } from '../components/table.js';
import { Time } from '../components/time.js';
import { notify } from '../components/toasts.js';
import { me } from '../session.js';

type Scope = ApiKey['scopes'][number];

const usual: readonly Scope[] = ['urls:read', 'urls:write'];

/** The scopes that a person can give to a key. No key may have the others. */
const grantable = () =>
  (me.value?.scopes ?? []).filter(
    (scope): scope is Scope => scope !== 'keys:write' && scope !== 'people:write',
  );

export function Keys() {
  const [created, setCreated] = useState<ApiKeyCreated | undefined>();
  const [revoked, setRevoked] = useState<ApiKey | undefined>();
  const list = usePages<ApiKey>('keys', (after) =>
    api.apiKeys.list({ limit: 50, ...(after !== undefined && { after }) }),
  );
  return (
    <>
      <h1>API keys</h1>
      <CreateKey
        onCreated={(key) => {
          setCreated(key);
          list.reload();
        }}
      />
      {created && (
        <Secret
          label={`Key ${created.name}`}
          hint="A program sends it as “Authorization: Bearer …”. It is not shown again."
          text={created.key}
        />
      )}
      <Table heads={['Name', 'Scopes', 'Expires', 'Last used', 'Actions']}>
        {list.items.map((key) => (
          <tr key={key.id}>
            <td>
              {key.name}
              <span class="state">{key.start}…</span>
            </td>
            <td>{key.scopes.join(', ')}</td>
            <td>
              <Time at={key.expiresAt} />
            </td>
            <td>
              <Time at={key.lastUsedAt} />
            </td>
            <td>
              <button
                type="button"
                class="plain"
                aria-label={`Revoke ${key.name}`}
                onClick={() => setRevoked(key)}
              >
                Revoke
              </button>
            </td>
          </tr>
        ))}
      </Table>
      <PageEnd list={list} none="No keys yet." />
      {revoked && (
        <Confirm
          title={`Revoke ${revoked.name}?`}
          action="Revoke"
          work={async () => {
            await api.apiKeys.delete(revoked.id);
            notify(`Revoked ${revoked.name}`);
            list.reload();
          }}
          onClose={() => setRevoked(undefined)}
        >
          This cannot be undone: programs that use the key are refused from now on.
        </Confirm>
      )}
    </>
  );
}

function CreateKey({ onCreated }: { readonly onCreated: (key: ApiKeyCreated) => void }) {
  const [name, setName] = useState('');
  const [scopes, setScopes] = useState(usual);
  const [lastDay, setLastDay] = useState('');
  const { submit, errors, isBusy } = useSubmit(async () => {
    // Until the end of the day, in the time zone of the browser.
    const expiresAt = lastDay === '' ? null : new Date(`${lastDay}T23:59:59`).toISOString();
    onCreated(await api.apiKeys.create({ name: name.trim(), scopes: [...scopes], expiresAt }));
    setName('');
  });
  return (
    <form onSubmit={submit} aria-label="Create a key">
      <Field
        label="Name"
        hint="What the key is for."
        required
        value={name}
        error={errors.fields.name}
        onInput={({ currentTarget }) => setName(currentTarget.value)}
      />
      <fieldset class="choices">
        <legend>What the key may do</legend>
        {grantable().map((scope) => (
          <Check
            key={scope}
            label={scope}
            checked={scopes.includes(scope)}
            onChange={({ currentTarget: { checked } }) =>
              setScopes(checked ? [...scopes, scope] : scopes.filter((other) => other !== scope))
            }
          />
        ))}
        {errors.fields.scopes !== undefined && <p class="error">{errors.fields.scopes}</p>}
      </fieldset>
      <Field
        label="Last day"
        hint="Empty: the key does not expire."
        type="date"
        value={lastDay}
        error={errors.fields.expiresAt}
        onInput={({ currentTarget }) => setLastDay(currentTarget.value)}
      />
      <FormError errors={errors} />
      <button type="submit" disabled={isBusy}>
        Create key
      </button>
    </form>
  );
}
