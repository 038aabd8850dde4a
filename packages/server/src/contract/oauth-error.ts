/** The HTTP status of each OAuth error code that the server returns (RFC 6749 §5.2). */
const statuses = {
  invalid_request: 400,
  invalid_client: 401,
  invalid_scope: 400,
  unauthorized_client: 400,
  unsupported_grant_type: 400,
  server_error: 500,
  temporarily_unavailable: 503,
} as const;

type OAuthCode = keyof typeof statuses;

export const oauthCodes = Object.keys(statuses) as [OAuthCode, ...OAuthCode[]];

type Options = Partial<Pick<OAuthError, 'status' | 'headers' | 'cause'>>;

/** An error of a token request in the form that OAuth libraries read (RFC 6749 §5.2). */
export class OAuthError extends Error {
  override readonly name = 'OAuthError';
  readonly code: OAuthCode;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;

  /** `status` overrides the status of the code, for example with 429. */
  constructor(code: OAuthCode, message: string, options: Options = {}) {
    super(message, { cause: options.cause });
    this.code = code;
    this.status = options.status ?? statuses[code];
    this.headers = options.headers ?? {};
  }

  get body() {
    return { error: this.code, error_description: this.message };
  }
}
