import type {
  InvitationAcceptRequest,
  PasswordChangeRequest,
  SessionCreateRequest,
} from '@shorty/sdk';
import { useLocation } from 'wouter-preact';
import { Problem, Screen } from '../components/elements.js';
import { Form } from '../components/form.js';
import { notify } from '../components/work.js';
import { type Field, field } from '../fields.js';
import { api, me, readSession, state } from '../session.js';

const email = field('email', 'E-mail address', {
  kind: 'email',
  autocomplete: 'username',
  required: true,
});
const password = field('password', 'Password', {
  kind: 'password',
  autocomplete: 'current-password',
  required: true,
});
const newPassword: Field = {
  ...password,
  label: 'New password',
  autocomplete: 'new-password',
  hint: 'At least 10 characters.',
};

/** Why a sign-in by the provider failed, which leads back to this page. */
const failures: Readonly<Record<string, string>> = {
  unknown: 'You are not among the people of this server: ask an owner.',
  expired: 'The sign-in has taken too long, or began elsewhere: try again.',
  refused: 'Your organization has refused the sign-in.',
  unavailable: 'Your organization cannot sign you in at present: try again later.',
};

export function SignIn() {
  const failure = new URLSearchParams(location.search).get('error');
  const error = failure && (failures[failure] ?? 'The sign-in has failed.');
  return (
    <main class="narrow">
      <Screen title="Sign in to Shorty">
        <Problem error={error} />
        {state.value?.signInUrl && (
          <p>
            <a href={state.value.signInUrl}>Sign in with your organization</a>
          </p>
        )}
        <Form<SessionCreateRequest>
          fields={[email, password]}
          action="Sign in"
          save={async (request) => {
            await api.session.create(request);
            await readSession();
          }}
        />
        <p class="hint">
          No password yet, or forgotten? Ask an owner of your organization for a link. The operator
          can run <code>shorty-server users reset ADDRESS</code>.
        </p>
      </Screen>
    </main>
  );
}

/** Sets the password of a person who opens the link of an invitation or a reset. */
export function Welcome() {
  const [, navigate] = useLocation();
  // The link says whether the invitation lacks an address.
  const asksEmail = new URLSearchParams(location.search).get('ask') === 'email';
  const token = location.hash.slice(1);
  return (
    <main class="narrow">
      <Screen title="Welcome to Shorty">
        {token === '' ? (
          <Problem error="This address has no token. Open the whole link that you were given." />
        ) : (
          <Form<Omit<InvitationAcceptRequest, 'token'>>
            fields={[
              ...(asksEmail ? [{ ...email, hint: 'You sign in with it. No mail is sent.' }] : []),
              newPassword,
            ]}
            action="Set the password"
            save={async (request) => {
              await api.session.acceptInvitation({ token, ...request });
              await readSession();
              navigate('/');
            }}
          />
        )}
      </Screen>
    </main>
  );
}

export function Account() {
  const { user, organization } = me.value ?? {};
  return (
    <Screen title="Account">
      <p>
        You are {user?.email ?? 'signed in'}, {user?.role} of {organization?.name} (plan{' '}
        {organization?.plan}).
      </p>
      {user?.hasPassword ? (
        <>
          <h2>Change the password</h2>
          <Form<PasswordChangeRequest>
            class="narrow"
            fields={[
              { ...password, name: 'currentPassword', label: 'Current password' },
              {
                ...newPassword,
                name: 'newPassword',
                hint: `${newPassword.hint} Ends your sessions in other browsers.`,
              },
            ]}
            action="Change password"
            save={async (request) => {
              await api.session.changePassword(request);
              notify('Changed the password, and signed you out in other browsers');
            }}
          />
        </>
      ) : (
        <p>You sign in with your organization, which has your password.</p>
      )}
    </Screen>
  );
}
