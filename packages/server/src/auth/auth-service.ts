import type { IncomingHttpHeaders } from 'node:http';
import { ApiError, invalidField } from '../contract/api-error.js';
import type { Caller } from '../contract/caller.js';
import type { Clock } from '../ports.js';
import type { Database } from '../storage/database.js';
import type { ApiKeyRepository } from './api-key-repository.js';
import { limitAttempts, tokenAttempts } from './attempt-limiter.js';
import type { ClientRepository, Credentials, FoundCaller } from './client-repository.js';
import { hashSecret, isApiKey, matchesHash, newSecret } from './secrets.js';
import { tokenLifetimeSeconds } from './token-contract.js';

export type AuthService = ReturnType<typeof createAuthService>;

/** Issues access tokens to clients, and authenticates requests by their token or API key. */
export function createAuthService(options: {
  readonly clients: ClientRepository;
  readonly apiKeys: Pick<ApiKeyRepository, 'findCaller'>;
  readonly findSession: (headers: IncomingHttpHeaders) => Promise<FoundCaller | undefined>;
  /** Undefined accepts no key. */
  readonly operatorKey: string | undefined;
  readonly database: Database;
  readonly clock: Clock;
}) {
  const { clients, apiKeys, findSession, operatorKey, database, clock } = options;
  const takeAttempt = limitAttempts(database, tokenAttempts, clock);
  // Compared when the client does not exist. Response times must not reveal which client ids exist.
  const decoyHash = hashSecret(newSecret('clientSecret'));
  const operatorKeyHash = operatorKey === undefined ? undefined : hashSecret(operatorKey);
  return {
    /**
     * Exchanges credentials for a token. Throws UNAUTHORIZED, VALIDATION_FAILED, or RATE_LIMITED when
     * the client key has too many failed attempts.
     */
    async issueToken(
      { clientId, clientSecret }: Credentials,
      scope: string | undefined,
      clientKey: string,
    ) {
      const client = await clients.find(clientId);
      const matches = matchesHash(clientSecret, client?.secretHash ?? decoyHash);
      const isCorrect = client !== undefined && matches;
      // Correct attempts are not counted. A blocked address is refused even with valid credentials.
      await takeAttempt(clientKey, isCorrect);
      if (!client || !isCorrect) {
        throw new ApiError('UNAUTHORIZED', 'The client is unknown or its secret is wrong');
      }
      refuseIfSuspended(client);
      const scopes = chooseScopes(client.scopes, scope).join(' ');
      const accessToken = newSecret('accessToken');
      const now = clock();
      await clients.saveToken(client.organizationId, {
        token_hash: hashSecret(accessToken),
        client_id: clientId,
        scopes,
        created_at: now,
        expires_at: now + tokenLifetimeSeconds * 1000,
      });
      return { accessToken, expiresIn: tokenLifetimeSeconds, scope: scopes };
    },

    /**
     * Returns the caller that the `Authorization` header identifies or, without one, the session; throws
     * UNAUTHORIZED.
     */
    async authenticate(headers: IncomingHttpHeaders): Promise<Caller> {
      if (headers.authorization === undefined) {
        const found = await findSession(headers);
        if (!found) throw new ApiError('UNAUTHORIZED', sendToken);
        refuseIfSuspended(found);
        return found.caller;
      }
      const token = bearerTokenOf(headers.authorization);
      const now = clock();
      const isKey = isApiKey(token);
      const found = await (isKey ? apiKeys : clients).findCaller(hashSecret(token), now);
      if (!found) {
        const what = isKey ? 'API key is unknown, revoked' : 'access token is unknown';
        throw new ApiError('UNAUTHORIZED', `The ${what} or has expired`);
      }
      refuseIfSuspended(found);
      return found.caller;
    },

    /**
     * Throws UNAUTHORIZED unless an `Authorization` header has the operator key, or RATE_LIMITED when the
     * client key has too many failed attempts. These count together with those of token requests.
     */
    async authenticateOperator(
      authorization: string | undefined,
      clientKey: string,
    ): Promise<void> {
      const token = bearerTokenOf(authorization);
      const isCorrect = operatorKeyHash !== undefined && matchesHash(token, operatorKeyHash);
      await takeAttempt(clientKey, isCorrect);
      if (!isCorrect) throw new ApiError('UNAUTHORIZED', 'The operator key is wrong');
    },
  };
}

/** Returns the token of an `Authorization` header; throws UNAUTHORIZED. */
function bearerTokenOf(authorization: string | undefined): string {
  const token = /^Bearer +([\w~+/.=-]+) *$/i.exec(authorization ?? '')?.[1];
  if (token !== undefined) return token;
  throw new ApiError('UNAUTHORIZED', sendToken);
}

const sendToken = 'Sign in, or send an access token or an API key as "Authorization: Bearer …"';

export function refuseIfSuspended({ suspendedAt }: { readonly suspendedAt: number | null }): void {
  if (suspendedAt === null) return;
  throw new ApiError(
    'ORGANIZATION_SUSPENDED',
    `The operator of this server suspended the organization at ${new Date(suspendedAt).toISOString()}: contact the operator`,
  );
}

function chooseScopes(
  granted: readonly string[],
  requested: string | undefined,
): readonly string[] {
  const wanted = (requested ?? '').split(' ').filter((word) => word !== '');
  if (wanted.length === 0) return granted;
  const refused = wanted.filter((word) => !granted.includes(word));
  if (refused.length > 0) {
    const message = `is not granted to this client: ${refused.join(' ')} (granted: ${granted.join(' ')})`;
    throw invalidField('scope', message);
  }
  return [...new Set(wanted)];
}
