import type { z } from 'zod';
import { limitAttempts, passwordAttempts } from '../auth/attempt-limiter.js';
import { refuseIfSuspended } from '../auth/auth-service.js';
import type { Passwords } from '../auth/passwords.js';
import { newSecret } from '../auth/secrets.js';
import { ApiError, invalidField } from '../contract/api-error.js';
import type { Caller } from '../contract/caller.js';
import type { ReadPage } from '../contract/json-text.js';
import { type HandlersOf, replyWithChange } from '../http/handlers.js';
import { replyWithPage } from '../http/open-page.js';
import { requireFound } from '../idempotency/with-idempotency-key.js';
import { addressBlockOf } from '../network/ip-address.js';
import type { Clock } from '../ports.js';
import type { Database } from '../storage/database.js';
import { invitationUrlOf, readCookie, refuseCrossOrigin, sessionCookie } from './session-cookie.js';
import type { user, userRoutes } from './user-contract.js';
import {
  emailConflict,
  toUserRecord,
  type UserRepository,
  type WithToken,
} from './user-repository.js';

export interface UserHandlerOptions {
  readonly users: UserRepository;
  readonly listUsers: ReadPage<z.input<typeof user>>;
  readonly passwords: Passwords;
  readonly database: Database;
  readonly publicUrl: () => string;
  readonly clock: Clock;
  /** Where a person signs in by the provider; null without one. */
  readonly signInUrl: string | null;
  /** Whether the address of the dashboard has the administration API, too. */
  readonly servesAdministration: boolean;
}

export function userHandlers(options: UserHandlerOptions): HandlersOf<typeof userRoutes> {
  const { users, passwords, clock, publicUrl } = options;
  const limit = { ...passwordAttempts, name: 'passwords of people' };
  const takeAttempt = limitAttempts(options.database, limit, clock);
  let decoy: Promise<string> | undefined;

  const hash = async (organizationId: string, password: string) =>
    (await passwords.hashAll(organizationId, [password]))[0] as string;

  /** Verifies a password, in the same time whether the person exists or not. Throws RATE_LIMITED. */
  async function verify(
    found: { readonly organizationId: string; readonly passwordHash: string | null } | undefined,
    password: string,
    attempt: string,
  ): Promise<boolean> {
    const uncount = await takeAttempt(attempt);
    decoy ??= hash('', newSecret('session'));
    const stored = found?.passwordHash ?? (await decoy);
    const isCorrect = await passwords.verify(found?.organizationId ?? '', stored, password);
    if (!isCorrect || !found?.passwordHash) return false;
    await uncount();
    return true;
  }

  const started = (status: 200 | 201, { user, token }: WithToken) => ({
    status,
    data: { user: toUserRecord(user) },
    headers: sessionCookie(publicUrl(), token),
  });

  const invited = ({ user, token }: WithToken, replayed: boolean) => ({
    status: 201,
    replayed,
    data: { ...toUserRecord(user), invitationUrl: invitationUrlOf(publicUrl(), token, user.email) },
  });

  return {
    async inviteUser({ body, context }) {
      const { result, replayed } = await users.invite(body, context);
      return invited(result, replayed);
    },

    listUsers: ({ caller: { organizationId }, query }) =>
      replyWithPage({ name: 'people', organizationId }, query, options.listUsers),

    changeUserRole({ params: { id }, body: { role }, context }) {
      const changing = users.changeRole(id, role, context);
      return replyWithChange(changing, 'person', id, toUserRecord);
    },

    deleteUser({ params: { id }, context }) {
      const deleting = users.delete(id, context);
      return replyWithChange(deleting, 'person', id, toUserRecord);
    },

    async resetUserPassword({ params: { id }, context }) {
      const written = await users.inviteAgain(id, context);
      const { result, replayed } = requireFound(written, 'person', id);
      return invited(result, replayed);
    },

    async acceptInvitation({ body: { token, email, password }, headers }) {
      refuseCrossOrigin(publicUrl(), headers);
      const found = await users.findInvited(token, clock());
      if (!found) throw wrongToken();
      refuseIfSuspended(found);
      if (found.email === null && email === undefined) {
        const message = 'is required, because the invitation has no address';
        throw invalidField('email', message);
      }
      const passwordHash = await hash(found.organizationId, password);
      const accepted = await users.accept(found, token, email, passwordHash, clock());
      if (accepted === null) throw wrongToken();
      if (accepted === 'taken') throw emailConflict(email ?? '');
      return started(201, accepted);
    },

    async getSession({ headers }) {
      const token = readCookie(publicUrl(), headers);
      const found = token === undefined ? undefined : await users.findCaller(token, clock());
      const { signInUrl, servesAdministration } = options;
      const data = { isSignedIn: found !== undefined, signInUrl, servesAdministration };
      return { status: 200, data };
    },

    async createSession({ body: { email, password }, headers, address }) {
      refuseCrossOrigin(publicUrl(), headers);
      const found = await users.find('email', email);
      const isCorrect = await verify(found, password, `${email} ${addressBlockOf(address)}`);
      if (!found || !isCorrect) {
        throw new ApiError('UNAUTHORIZED', 'The address or the password is wrong');
      }
      refuseIfSuspended(found);
      const begun = await users.signIn(found, clock());
      if (!begun) throw new ApiError('UNAUTHORIZED', 'The address or the password is wrong');
      return started(201, begun);
    },

    async deleteSession({ caller, headers }) {
      const token = readCookie(publicUrl(), headers) ?? '';
      const data = { user: toUserRecord(await users.signOut(personOf(caller), token)) };
      return { status: 200, data, headers: sessionCookie(publicUrl(), '') };
    },

    async changePassword({ caller, body: { currentPassword, newPassword }, address }) {
      const person = personOf(caller);
      const found = await users.find('users.id', person.id);
      const attempt = `${person.id} ${addressBlockOf(address)}`;
      if (!(await verify(found, currentPassword, attempt))) {
        throw invalidField('currentPassword', 'is wrong');
      }
      const passwordHash = await hash(caller.organizationId, newPassword);
      return started(200, await users.changePassword(person, passwordHash, clock()));
    },
  };
}

function personOf({ organizationId, user }: Caller) {
  return { organizationId, id: user?.id ?? '' };
}

function wrongToken(): ApiError {
  return new ApiError(
    'UNAUTHORIZED',
    'The link was used, replaced or is more than a day old: ask for a new one',
  );
}
