import { useState } from 'preact/hooks';
import { api } from '../api.js';
import { Field, FormError, useSubmit } from '../components/form.js';
import { providerUrl, readSession } from '../session.js';

export function SignIn() {
  // A sign-in by the provider that failed leads back here.
  const failure = new URLSearchParams(location.search).get('error');
  const [email, setEmail] = useState('');
  const [password, setPassword] = useState('');
  const { submit, errors, isBusy } = useSubmit(async () => {
    await api.session.create({ email, password });
    await readSession();
  });
  return (
    <main class="narrow">
      <h1>Sign in to Shorty</h1>
      {failure !== null && (
        <p class="error" role="alert">
          {failure}
        </p>
      )}
      {providerUrl.value !== null && (
        <p>
          <a href={providerUrl.value}>Sign in with your organization</a>
        </p>
      )}
      <form onSubmit={submit}>
        <Field
          label="E-mail address"
          type="email"
          autocomplete="username"
          required
          value={email}
          error={errors.fields.email}
          onInput={({ currentTarget }) => setEmail(currentTarget.value)}
        />
        <Field
          label="Password"
          type="password"
          autocomplete="current-password"
          required
          value={password}
          error={errors.fields.password}
          onInput={({ currentTarget }) => setPassword(currentTarget.value)}
        />
        <FormError errors={errors} />
        <button type="submit" disabled={isBusy}>
          Sign in
        </button>
      </form>
      <p class="hint">
        No password yet, or forgotten? Ask an owner of your organization for a link. The operator
        can run <code>shorty-server users reset ADDRESS</code>.
      </p>
    </main>
  );
}
