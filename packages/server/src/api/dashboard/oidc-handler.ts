import type { Request, RequestHandler, Response } from 'express';
import type { Logger } from 'pino';
import {
  type createOidc,
  type OidcAttempt,
  type OidcIdentity,
  SignInFailure,
} from '../../people/oidc.js';
import { cookieOf, readCookie, sessionCookie } from '../../people/session-cookie.js';
import type { WithToken } from '../../people/user-repository.js';

export interface OidcHandlerOptions {
  readonly oidc: ReturnType<typeof createOidc>;
  readonly publicUrl: () => string;
  readonly logger: Logger;
  /** Begins a session of the person with an identity. Throws SignInFailure for one that may not sign in. */
  readonly signIn: (identity: OidcIdentity) => Promise<WithToken>;
}

const attemptCookie = 'shorty_oidc';
const attemptSeconds = 10 * 60;

/** Begins a sign-in at `/dashboard/oidc`, and ends it at `/dashboard/oidc/callback`. */
export function oidcHandler({
  oidc,
  publicUrl,
  logger,
  signIn,
}: OidcHandlerOptions): RequestHandler {
  async function begin(response: Response): Promise<void> {
    const { url, attempt } = await oidc.begin();
    const value = Buffer.from(JSON.stringify(attempt)).toString('base64url');
    response.append('Set-Cookie', cookieOf(publicUrl(), attemptCookie, value, attemptSeconds));
    response.redirect(302, url);
  }

  async function end(request: Request, response: Response): Promise<void> {
    response.append('Set-Cookie', cookieOf(publicUrl(), attemptCookie, '', 0));
    const attempt = readAttempt(readCookie(publicUrl(), request.headers, attemptCookie));
    const { searchParams } = new URL(request.originalUrl, publicUrl());
    const { token } = await signIn(await oidc.end(searchParams, attempt));
    const { 'Set-Cookie': cookie = '', ...headers } = sessionCookie(publicUrl(), token);
    response.append('Set-Cookie', cookie).set(headers);
    response.redirect(302, '/dashboard/');
  }

  return async (request, response, next) => {
    if (request.method !== 'GET') return next();
    try {
      if (request.path === '/oidc') return await begin(response);
      if (request.path === '/oidc/callback') return await end(request, response);
    } catch (error) {
      if (!(error instanceof SignInFailure)) throw error;
      logger.warn({ err: error, code: error.code }, 'sign-in failed');
      // The page of the sign-in has a text for the code.
      return response.redirect(302, `/dashboard/?error=${error.code}`);
    }
    next();
  };
}

function readAttempt(value: string | undefined): OidcAttempt {
  try {
    return JSON.parse(Buffer.from(value ?? '', 'base64url').toString()) as OidcAttempt;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw new SignInFailure('expired', 'the browser has begun no sign-in');
  }
}
