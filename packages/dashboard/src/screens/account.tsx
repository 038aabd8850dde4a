import type { PasswordChangeRequest } from '@shorty/sdk';
import { Screen } from '../components/elements.js';
import { Form } from '../components/form.js';
import { notify } from '../components/work.js';
import { api, me } from '../session.js';
import { newPassword, password } from './sign-in.js';

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
