import { useState } from 'preact/hooks';
import { useLocation } from 'wouter-preact';
import { api } from '../api.js';
import { Field, FormError, useSubmit } from '../components/form.js';
import { readSession } from '../session.js';

const minPasswordLength = 10;

/** Sets the password of a person who opens the link of an invitation or a reset. */
export function Welcome() {
  const [, navigate] = useLocation();
  const [email, setEmail] = useState('');
  const [password, setPassword] = useState('');
  // The link says whether the invitation lacks an address.
  const asksEmail = new URLSearchParams(location.search).get('ask') === 'email';
  const token = location.hash.slice(1);
  const { submit, errors, isBusy } = useSubmit(async () => {
    await api.session.acceptInvitation({ token, password, ...(asksEmail && { email }) });
    await readSession();
    navigate('/');
  });
  return (
    <main class="narrow">
      <h1>Welcome to Shorty</h1>
      {token === '' ? (
        <p role="alert">This address has no token. Open the whole link that you were given.</p>
      ) : (
        <form onSubmit={submit}>
          {asksEmail && (
            <Field
              label="E-mail address"
              type="email"
              autocomplete="username"
              hint="You sign in with it. No mail is sent."
              required
              value={email}
              error={errors.fields.email}
              onInput={({ currentTarget }) => setEmail(currentTarget.value)}
            />
          )}
          <Field
            label="New password"
            type="password"
            autocomplete="new-password"
            hint={`At least ${minPasswordLength} characters.`}
            minLength={minPasswordLength}
            required
            value={password}
            error={errors.fields.password}
            onInput={({ currentTarget }) => setPassword(currentTarget.value)}
          />
          <FormError errors={errors} />
          <button type="submit" disabled={isBusy}>
            Set the password
          </button>
        </form>
      )}
    </main>
  );
}
