import type { Invitation, User, UserInviteRequest } from '@shorty/sdk';
import { showSecrets } from '../components/copy.js';
import { Screen, Time } from '../components/elements.js';
import { FieldRow } from '../components/field.js';
import { Action, Form } from '../components/form.js';
import { List } from '../components/list.js';
import { run } from '../components/work.js';
import { type Field, field, optionsOf, select } from '../fields.js';
import { api, may, me, readSession } from '../session.js';

type Role = User['role'];

const roles: readonly (readonly [Role, string])[] = [
  ['editor', 'Editor: links, QR codes, domains'],
  ['viewer', 'Viewer: only reads'],
  ['owner', 'Owner: everything'],
];

const fields: readonly Field[] = [
  field('email', 'E-mail address', { kind: 'email', autocomplete: 'off', required: true }),
  select('role', 'Role', roles),
];

const nameOf = ({ email }: Pick<User, 'email'>) => email ?? 'a person without an address';
const isMe = ({ id }: User) => id === me.value?.user?.id;

const linkHint = 'It sets a password, once, within a day. No mail is sent: pass it on.';

const showLink = ({ email, invitationUrl }: Invitation) =>
  showSecrets({ label: `Link for ${nameOf({ email })}`, hint: linkHint, text: invitationUrl });

export function People() {
  const isOwner = may('people:write');
  const renew = (user: User) => (
    <Action
      name="New link"
      of={`for ${nameOf(user)}`}
      work={async () => showLink(await api.people.resetPassword(user.id))}
    />
  );
  return (
    <Screen title="People">
      {isOwner && (
        <Form<UserInviteRequest>
          class="line"
          label="Invite a person"
          fields={fields}
          action="Invite"
          save={async (request) => showLink(await api.people.invite(request))}
        />
      )}
      <List<User>
        read={(query) => api.people.list(query)}
        none="Nobody yet."
        columns={{
          Address: nameOf,
          Role: (user) => (isOwner ? <RoleOf user={user} /> : user.role),
          'Last sign-in': (user) => <SignedInAt {...user} />,
          ...(isOwner && { Invitation: renew, Actions: (user) => <Remove user={user} /> }),
        }}
        notes={{ Address: (user) => isMe(user) && 'you' }}
      />
    </Screen>
  );
}

function RoleOf({ user }: { readonly user: User }) {
  const set = (role: Role) => async () => {
    await api.people.changeRole(user.id, { role });
    // The change has ended one's own session.
    if (isMe(user)) await readSession();
  };
  const change = (role: Role) =>
    run(set(role), `${nameOf(user)}: ${role}`, isMe(user) ? undefined : set(user.role));
  return (
    <FieldRow
      field={select('role', `Role of ${nameOf(user)}`, optionsOf(roles.map(([role]) => role)))}
      filling={{ draft: { role: user.role }, set: (_, role) => void change(role as Role) }}
    />
  );
}

const Remove = ({ user }: { readonly user: User }) => (
  <Action
    name="Remove"
    of={nameOf(user)}
    ask="This cannot be undone, and ends the person's sessions. The links that the person made stay."
    work={async () => {
      await api.people.delete(user.id);
      if (isMe(user)) await readSession();
    }}
    done={`Removed ${nameOf(user)}`}
  />
);

function SignedInAt({ hasPassword, invitationExpiresAt, lastSignedInAt }: User) {
  // A person without a password may sign in by another provider.
  if (hasPassword || lastSignedInAt !== null) return <Time at={lastSignedInAt} />;
  const isOpen = invitationExpiresAt !== null && Date.parse(invitationExpiresAt) > Date.now();
  if (!isOpen) return <>the invitation has expired</>;
  return (
    <>
      invited until <Time at={invitationExpiresAt} />
    </>
  );
}
