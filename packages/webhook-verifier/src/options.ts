/** Options for checking a delivery. */
export interface VerifyOptions {
  /** The webhook's signing secret, or up to 16 secrets, of which one must match. */
  readonly secret: string | readonly string[];
  /** The largest difference between the timestamp and now, in seconds. Default 300. */
  readonly tolerance?: number | undefined;
  /** The time to check against, for tests. Default: the clock. */
  readonly now?: Date | undefined;
}

/** Options for functions that read the body themselves. */
export interface VerifyRequestOptions extends VerifyOptions {
  /** The largest body in bytes. Default 1,048,576. */
  readonly maxBodyBytes?: number | undefined;
}

/** The default of `maxBodyBytes`. */
export const MAX_BODY_BYTES = 1_048_576;

/**
 * Returns the secrets as a list. Throws a `TypeError` for an empty secret, because an attacker can
 * sign with it. Throws one for more than 16 secrets, because each costs a hash of the body.
 */
export function secretsOf({ secret }: Pick<VerifyOptions, 'secret'>): readonly string[] {
  const secrets: readonly unknown[] = Array.isArray(secret) ? [...secret] : [secret];
  const isSecret = (each: unknown) => typeof each === 'string' && each;
  if (!secrets[0] || secrets[16] || !secrets.every(isSecret)) {
    throw new TypeError('secret must be 1 to 16 non-empty strings');
  }
  return secrets as readonly string[];
}
