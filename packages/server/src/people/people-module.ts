import type { IncomingHttpHeaders } from 'node:http';
import type { Logger } from 'pino';
import type { z } from 'zod';
import { limitAttempts, passwordAttempts, verifyAttempt } from '../auth/attempt-limiter.js';
import { refuseIfSuspended } from '../auth/auth-service.js';
import type { FoundCaller } from '../auth/client-repository.js';
import type { Passwords } from '../auth/passwords.js';
import { newSecret } from '../auth/secrets.js';
import { ApiError, invalidField } from '../contract/api-error.js';
import type { Caller } from '../contract/caller.js';
import type { ReadPage } from '../contract/json-text.js';
import type { Role } from '../contract/roles.js';
import { type HandlersOf, replyWithChange } from '../http/handlers.js';
import { replyWithPage } from '../http/open-page.js';
import { requireFound } from '../idempotency/with-idempotency-key.js';
import { addressBlockOf } from '../network/ip-address.js';
import type { Clock } from '../ports.js';
import type { Database } from '../storage/database.js';
import { createOidc, type OidcIdentity, type OidcSettings, SignInFailure } from './oidc.js';
import { invitationUrlOf, readCookie, refuseCrossOrigin, sessionCookie } from './session-cookie.js';
import type { user, userRoutes } from './user-contract.js';
import {
  createUserRepository,
  emailConflict,
  toUserRecord,
  type WithToken,
} from './user-repository.js';

export function createPeopleModule(options: {
  readonly listUsers: ReadPage<z.input<typeof user>>;
  readonly passwords: Passwords;
  readonly database: Database;
  readonly publicUrl: () => string;
  readonly clock: Clock;
  readonly logger: Logger;
  /** The provider by which people sign in, and the role of somebody new; undefined for none. */
  readonly oidc: (OidcSettings & { readonly defaultRole: Role | undefined }) | undefined;
  readonly defaultOrganization: () => Promise<string>;
  /** Whether the address of the dashboard has the administration API, too. */
  readonly servesAdministration: boolean;
}) {
  const { database, passwords, clock, publicUrl, oidc, logger } = options;
  const users = createUserRepository(database);
  const limit = { ...passwordAttempts, name: 'passwords of people' };
  const takeAttempt = limitAttempts(database, limit, clock);
  let decoy: string | undefined;

  const hash = async (organizationId: string, password: string) =>
    (await passwords.hashAll(organizationId, [password]))[0] as string;

  /** Verifies a password, in the same time whether the person exists or not. Throws RATE_LIMITED. */
  const verify = (
    found: { readonly organizationId: string; readonly passwordHash: string | null } | undefined,
    password: string,
    attempt: string,
  ) =>
    verifyAttempt(takeAttempt, attempt, async () => {
      decoy ??= await hash('', newSecret('session'));
      const stored = found?.passwordHash ?? decoy;
      const isCorrect = await passwords.verify(found?.organizationId ?? '', stored, password);
      return isCorrect && found?.passwordHash != null;
    });

  /** Returns the caller of a request's session; undefined when it has none. */
  async function findCaller(headers: IncomingHttpHeaders): Promise<FoundCaller | undefined> {
    const token = readCookie(publicUrl(), headers);
    return token === undefined ? undefined : users.findCaller(token, clock());
  }

  /** Signs in the person of an identity that the provider has confirmed. Throws SignInFailure. */
  async function signIn(identity: OidcIdentity): Promise<WithToken> {
    const organizationId = await options.defaultOrganization();
    const role = oidc?.defaultRole;
    const found = await users.signInByIdentity(identity, organizationId, role, clock());
    if (found) return found;
    throw new SignInFailure('unknown', 'the person is not among those of the server');
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

  const handlers: HandlersOf<typeof userRoutes> = {
    async inviteUser({ body, context }) {
      const { result, replayed } = await users.invite(body, context);
      return invited(result, replayed);
    },

    listUsers: ({ caller: { organizationId }, query }) =>
      replyWithPage(organizationId, query, options.listUsers),

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
      const isSignedIn = (await findCaller(headers)) !== undefined;
      const signInUrl = oidc ? '/dashboard/oidc' : null;
      const { servesAdministration } = options;
      return { status: 200, data: { isSignedIn, signInUrl, servesAdministration } };
    },

    async createSession({ body: { email, password }, headers, address }) {
      refuseCrossOrigin(publicUrl(), headers);
      const found = await users.find('email', email);
      const isCorrect = await verify(found, password, `${email} ${addressBlockOf(address)}`);
      if (found && isCorrect) {
        refuseIfSuspended(found);
        const begun = await users.signIn(found, clock());
        if (begun) return started(201, begun);
      }
      throw new ApiError('UNAUTHORIZED', 'The address or the password is wrong');
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

  return {
    findCaller,
    /** Invites the first owner of an organization, and returns the token of the link. */
    async inviteOwner(organizationId: string): Promise<string> {
      const context = { organizationId, now: clock(), write: undefined };
      return (await users.invite({ email: null, role: 'owner' }, context)).result.token;
    },
    handlers,
    /** Signs people in by OpenID Connect; undefined without a provider. */
    provider: oidc && {
      oidc: createOidc(oidc, () => `${publicUrl()}/dashboard/oidc/callback`),
      publicUrl,
      logger,
      signIn,
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
