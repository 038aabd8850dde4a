import type { Invitation, User } from '@shorty/sdk';
import { useState } from 'preact/hooks';
import { api } from '../api.js';
import { Confirm } from '../components/confirm.js';
import { Field, FormError, Select, useSubmit } from '../components/form.js';
import { PageEnd, usePages } from '../components/paged-table.js';
import { run } from '../components/run.js';
import { Secret } from '../components/secret.js';
import { Time } from '../components/time.js';
import { notify } from '../components/toasts.js';
import { may, me, readSession } from '../session.js';

type Role = User['role'];

const roles: readonly (readonly [Role, string])[] = [
  ['owner', 'Owner: everything'],
  ['editor', 'Editor: links, QR codes, domains'],
  ['viewer', 'Viewer: only reads'],
];

const nameOf = ({ email }: Pick<User, 'email'>) => email ?? 'a person without an address';
const isMe = ({ id }: User) => id === me.value?.user?.id;

export function People() {
  const [invitation, setInvitation] = useState<Invitation | undefined>();
  const [removed, setRemoved] = useState<User | undefined>();
  const list = usePages<User>('people', (after) =>
    api.people.list({ limit: 50, ...(after !== undefined && { after }) }),
  );
  const invited = (made: Invitation) => {
    setInvitation(made);
    list.reload();
  };
  return (
    <>
      <h1>People</h1>
      {may('people:write') && <Invite onInvited={invited} />}
      {invitation && (
        <Secret
          label={`Link for ${nameOf(invitation)}`}
          hint="It sets a password, once, within a day. No mail is sent: pass it on. It is not shown again."
          text={invitation.invitationUrl}
        />
      )}
      <table class="cards">
        <thead>
          <tr>
            <th scope="col">Address</th>
            <th scope="col">Role</th>
            <th scope="col">Last sign-in</th>
            {may('people:write') && <th scope="col">Actions</th>}
          </tr>
        </thead>
        <tbody>
          {list.items.map((user) => (
            <tr key={user.id}>
              <td>
                {nameOf(user)}
                {isMe(user) && <span class="state">you</span>}
              </td>
              <td>
                <RoleOf user={user} onChanged={list.reload} />
              </td>
              <td>
                <SignIn user={user} />
              </td>
              {may('people:write') && (
                <td class="actions">
                  <NewLink user={user} onMade={invited} />
                  <button
                    type="button"
                    class="plain"
                    aria-label={`Remove ${nameOf(user)}`}
                    onClick={() => setRemoved(user)}
                  >
                    Remove
                  </button>
                </td>
              )}
            </tr>
          ))}
        </tbody>
      </table>
      <PageEnd list={list} none="Nobody yet." />
      {removed && (
        <Confirm
          title={`Remove ${nameOf(removed)}?`}
          action="Remove"
          work={async () => {
            await api.people.delete(removed.id);
            notify(`Removed ${nameOf(removed)}`);
            if (isMe(removed)) await readSession();
            else list.reload();
          }}
          onClose={() => setRemoved(undefined)}
        >
          This cannot be undone, and ends the person's sessions. The links that the person made
          stay.
        </Confirm>
      )}
    </>
  );
}

function Invite({ onInvited }: { readonly onInvited: (invitation: Invitation) => void }) {
  const [email, setEmail] = useState('');
  const [role, setRole] = useState<Role>('editor');
  const { submit, errors, isBusy } = useSubmit(async () => {
    onInvited(await api.people.invite({ email: email.trim(), role }));
    setEmail('');
  });
  return (
    <form class="line" onSubmit={submit} aria-label="Invite a person">
      <Field
        label="E-mail address"
        type="email"
        autocomplete="off"
        required
        value={email}
        error={errors.fields.email}
        onInput={({ currentTarget }) => setEmail(currentTarget.value)}
      />
      <Select
        label="Role"
        value={role}
        options={roles}
        onChange={({ currentTarget }) => setRole(currentTarget.value as Role)}
      />
      <button type="submit" disabled={isBusy}>
        Invite
      </button>
      <FormError errors={errors} />
    </form>
  );
}

function RoleOf({ user, onChanged }: { readonly user: User; readonly onChanged: () => void }) {
  const set = async (role: Role) => {
    await api.people.changeRole(user.id, { role });
    onChanged();
  };
  const change = async (role: Role) => {
    const isDone = await run(() => set(role));
    // The choice that was refused is still shown.
    if (!isDone) onChanged();
    // The change has ended one's own session.
    else if (isMe(user)) await readSession();
    else notify(`${nameOf(user)}: ${role}`, () => set(user.role));
  };
  if (!may('people:write')) return <>{user.role}</>;
  return (
    <select
      aria-label={`Role of ${nameOf(user)}`}
      value={user.role}
      onChange={({ currentTarget }) => void change(currentTarget.value as Role)}
    >
      {roles.map(([role]) => (
        <option key={role} value={role}>
          {role}
        </option>
      ))}
    </select>
  );
}

function SignIn({ user }: { readonly user: User }) {
  const { hasPassword, invitationExpiresAt, lastSignedInAt } = user;
  // A person without a password may sign in by another provider.
  if (hasPassword || lastSignedInAt !== null) return <Time at={lastSignedInAt} />;
  const isOpen = invitationExpiresAt !== null && Date.parse(invitationExpiresAt) > Date.now();
  return isOpen ? (
    <>
      invited until <Time at={invitationExpiresAt} />
    </>
  ) : (
    <>the invitation has expired</>
  );
}

/** Makes the link by which a person sets a password, after an invitation or for a forgotten password. */
function NewLink({
  user,
  onMade,
}: {
  readonly user: User;
  readonly onMade: (invitation: Invitation) => void;
}) {
  return (
    <button
      type="button"
      class="plain"
      aria-label={`New link for ${nameOf(user)}`}
      onClick={() => void run(async () => onMade(await api.people.resetPassword(user.id)))}
    >
      New link
    </button>
  );
}
