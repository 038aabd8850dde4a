import type { ApiKey, ApiKeyCreateRequest } from '@shorty/sdk';
import { showSecrets } from '../components/copy.js';
import { Screen, Time } from '../components/elements.js';
import { Action, Form } from '../components/form.js';
import { List } from '../components/list.js';
import { type Field, field, type Option, optionsOf, select } from '../fields.js';
import { api, me } from '../session.js';
import { useDomains } from './domains.js';

/** What somebody decides on a key. No key may have the scopes that are left out. */
const fields = (domains: readonly Option[]): readonly Field[] => [
  field('name', 'Name', { hint: 'What the key is for.', required: true }),
  field('scopes', 'What the key may do', {
    kind: 'checks',
    options: optionsOf(
      (me.value?.scopes ?? []).filter((scope) => !['keys:write', 'people:write'].includes(scope)),
    ),
  }),
  {
    ...select('domainId', 'Domain', [['', 'all domains'], ...domains]),
    hint: 'Whose links the key reaches.',
  },
  field('onlyOwnLinks', 'Only links that the key creates', { kind: 'check' }),
  field('expiresAt', 'Last day', { kind: 'lastDay', hint: 'Empty: the key does not expire.' }),
];

const keyHint = 'A program sends it as “Authorization: Bearer …”.';

/** Returns the links that a key reaches. */
function linksOf({ domainId, onlyOwnLinks }: ApiKey, domains: readonly Option[]): string {
  const links = onlyOwnLinks ? 'its own' : 'all';
  if (domainId === null) return links;
  const [, hostname] = domains.find(([id]) => id === domainId) ?? [];
  return `${links} on ${hostname ?? domainId}`;
}

export function Keys() {
  const domains = useDomains({ isActive: true });
  return (
    <Screen title="API keys">
      <Form<ApiKeyCreateRequest>
        label="Create a key"
        fields={fields(domains)}
        initial={{ scopes: ['urls:read', 'urls:write'] }}
        action="Create key"
        save={async (request) => {
          const { name, key } = await api.apiKeys.create(request);
          showSecrets({ label: `Key ${name}`, hint: keyHint, text: key });
        }}
      />
      <List<ApiKey>
        read={(query) => api.apiKeys.list(query)}
        none="No keys yet."
        columns={{
          Name: ({ name }) => name,
          Scopes: ({ scopes }) => scopes.join(', '),
          Links: (key) => linksOf(key, domains),
          Expires: ({ expiresAt }) => <Time at={expiresAt} />,
          'Last used': ({ lastUsedAt }) => <Time at={lastUsedAt} />,
          Actions: ({ id, name }) => (
            <Action
              name="Revoke"
              of={name}
              ask="This cannot be undone: programs that use the key are refused from now on."
              work={() => api.apiKeys.delete(id)}
              done={`Revoked ${name}`}
            />
          ),
        }}
        notes={{ Name: ({ start }) => `${start}…` }}
      />
    </Screen>
  );
}
