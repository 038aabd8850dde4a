import { useState } from 'preact/hooks';
import { api } from '../api.js';
import { Field, FormError, useSubmit } from '../components/form.js';
import { notify } from '../components/toasts.js';
import { me } from '../session.js';

const minPasswordLength = 10;

export function Account() {
  const { user, organization } = me.value ?? {};
  const [currentPassword, setCurrent] = useState('');
  const [newPassword, setNew] = useState('');
  const { submit, errors, isBusy } = useSubmit(async () => {
    await api.session.changePassword({ currentPassword, newPassword });
    setCurrent('');
    setNew('');
    notify('Changed the password, and signed you out in other browsers');
  });
  return (
    <>
      <h1>Account</h1>
      <p>
        You are {user?.email ?? 'signed in'}, {user?.role} of {organization?.name} (plan{' '}
        {organization?.plan}).
      </p>
      <h2>Change the password</h2>
      <form class="narrow" onSubmit={submit}>
        <input type="hidden" autocomplete="username" value={user?.email ?? ''} />
        <Field
          label="Current password"
          type="password"
          autocomplete="current-password"
          required
          value={currentPassword}
          error={errors.fields.currentPassword}
          onInput={({ currentTarget }) => setCurrent(currentTarget.value)}
        />
        <Field
          label="New password"
          type="password"
          autocomplete="new-password"
          hint={`At least ${minPasswordLength} characters. Ends your sessions in other browsers.`}
          minLength={minPasswordLength}
          required
          value={newPassword}
          error={errors.fields.newPassword}
          onInput={({ currentTarget }) => setNew(currentTarget.value)}
        />
        <FormError errors={errors} />
        <button type="submit" disabled={isBusy}>
          Change password
        </button>
      </form>
    </>
  );
}
