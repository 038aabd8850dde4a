import * as oauth from 'oauth4webapi';

/** Why a sign-in by the provider failed. The page of the sign-in has a text for each. */
export type SignInFailureCode = 'unknown' | 'expired' | 'refused' | 'unavailable';

/** A sign-in by the provider that failed. The message and the cause are for the operator. */
export class SignInFailure extends Error {
  readonly code: SignInFailureCode;

  constructor(code: SignInFailureCode, message: string, cause?: unknown) {
    super(message, { cause });
    this.code = code;
  }
}

export interface OidcSettings {
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
}

/** What the browser keeps between the start of a sign-in and its end. */
export interface OidcAttempt {
  readonly state: string;
  readonly nonce: string;
  readonly codeVerifier: string;
}

/** Who has signed in, as the provider says. An address is for people to read, and identifies nobody. */
export interface OidcIdentity {
  readonly issuer: string;
  readonly subject: string;
  readonly email: string | undefined;
}

const timeLimitMs = 10_000;

/** Signs people in by the code flow of OpenID Connect with PKCE, state and nonce. */
export function createOidc(
  { issuer, clientId, clientSecret }: OidcSettings,
  redirectUri: () => string,
) {
  const client: oauth.Client = { client_id: clientId };
  const authentication = oauth.ClientSecretBasic(clientSecret);
  const options = () => ({
    signal: AbortSignal.timeout(timeLimitMs),
    // The operator has configured the issuer, which may be a private address without TLS.
    [oauth.allowInsecureRequests]: issuer.startsWith('http:'),
  });
  let known: Promise<oauth.AuthorizationServer> | undefined;

  /** Reads the provider's metadata once. A failure is not remembered. */
  function discover(): Promise<oauth.AuthorizationServer> {
    known ??= read().catch((error: unknown) => {
      known = undefined;
      throw unavailable(error);
    });
    return known;
  }

  async function read(): Promise<oauth.AuthorizationServer> {
    const url = new URL(issuer);
    return oauth.processDiscoveryResponse(url, await oauth.discoveryRequest(url, options()));
  }

  return {
    /** Returns where the browser goes to sign in, and what it must bring back. Throws SignInFailure. */
    async begin(): Promise<{ readonly url: string; readonly attempt: OidcAttempt }> {
      const { authorization_endpoint: endpoint } = await discover();
      if (endpoint === undefined) throw unavailable('the provider has no authorization endpoint');
      const attempt = {
        state: oauth.generateRandomState(),
        nonce: oauth.generateRandomNonce(),
        codeVerifier: oauth.generateRandomCodeVerifier(),
      };
      const url = new URL(endpoint);
      url.search = new URLSearchParams({
        ...Object.fromEntries(url.searchParams),
        client_id: clientId,
        response_type: 'code',
        redirect_uri: redirectUri(),
        scope: 'openid email',
        state: attempt.state,
        nonce: attempt.nonce,
        code_challenge: await oauth.calculatePKCECodeChallenge(attempt.codeVerifier),
        code_challenge_method: 'S256',
      }).toString();
      return { url: url.href, attempt };
    },

    /** Returns who has signed in. `query` is that of the callback. Throws SignInFailure. */
    async end(query: URLSearchParams, attempt: OidcAttempt): Promise<OidcIdentity> {
      const server = await discover();
      try {
        const parameters = oauth.validateAuthResponse(server, client, query, attempt.state);
        const response = await oauth.authorizationCodeGrantRequest(
          server,
          client,
          authentication,
          parameters,
          redirectUri(),
          attempt.codeVerifier,
          options(),
        );
        const result = await oauth.processAuthorizationCodeResponse(server, client, response, {
          expectedNonce: attempt.nonce,
          requireIdToken: true,
        });
        const claims = oauth.getValidatedIdTokenClaims(result);
        if (!claims) throw new Error('the provider has sent no ID token');
        const isVerified = claims.email_verified === true && typeof claims.email === 'string';
        const email = isVerified ? String(claims.email).toLowerCase() : undefined;
        return { issuer: claims.iss, subject: claims.sub, email };
      } catch (error) {
        throw new SignInFailure(
          'refused',
          `the provider refused: ${(error as Error).message}`,
          error,
        );
      }
    },
  };
}

function unavailable(reason: unknown): SignInFailure {
  const text = reason instanceof Error ? reason.message : String(reason);
  return new SignInFailure('unavailable', `the provider does not respond: ${text}`, reason);
}
