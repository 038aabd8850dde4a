import type { IncomingHttpHeaders } from 'node:http';
import type { Logger } from 'pino';
import type { FoundCaller } from '../auth/client-repository.js';
import type { Role } from '../contract/roles.js';
import { createOidc, type OidcIdentity, type OidcSettings, SignInFailure } from './oidc.js';
import { readCookie } from './session-cookie.js';
import { type UserHandlerOptions, userHandlers } from './user-handlers.js';
import { createUserRepository, type WithToken } from './user-repository.js';

export function createPeopleModule(
  options: Omit<UserHandlerOptions, 'users' | 'signInUrl'> & {
    readonly logger: Logger;
    /** The provider by which people sign in, and the role of somebody new; undefined for none. */
    readonly oidc: (OidcSettings & { readonly defaultRole: Role | undefined }) | undefined;
    readonly defaultOrganization: () => Promise<string>;
  },
) {
  const { database, clock, publicUrl, oidc, logger } = options;
  const users = createUserRepository(database);
  const signIn = async (identity: OidcIdentity): Promise<WithToken> => {
    const organizationId = await options.defaultOrganization();
    const role = oidc?.defaultRole;
    const found = await users.signInByIdentity(identity, organizationId, role, clock());
    if (found) return found;
    throw new SignInFailure('unknown', 'the person is not among those of the server');
  };
  const provider = oidc && {
    oidc: createOidc(oidc, () => `${publicUrl()}/dashboard/oidc/callback`),
    publicUrl,
    logger,
    signIn,
  };
  return {
    /** Returns the caller of a request's session; undefined when it has none. */
    async findCaller(headers: IncomingHttpHeaders): Promise<FoundCaller | undefined> {
      const token = readCookie(publicUrl(), headers);
      return token === undefined ? undefined : users.findCaller(token, clock());
    },
    /** Invites the first owner of an organization, and returns the token of the link. */
    async inviteOwner(organizationId: string): Promise<string> {
      const context = { organizationId, now: clock(), write: undefined };
      return (await users.invite({ email: null, role: 'owner' }, context)).result.token;
    },
    handlers: userHandlers({ ...options, users, signInUrl: oidc ? '/dashboard/oidc' : null }),
    /** Signs people in by OpenID Connect; undefined without a provider. */
    provider,
  };
}
