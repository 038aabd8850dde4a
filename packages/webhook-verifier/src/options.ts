/** How a delivery is checked. */
export interface VerifyOptions {
  /** The webhook's signing secret, or up to 16 secrets, any of which may match. */
  readonly secret: string | readonly string[];
  /** Seconds that the timestamp may lie before or after now. Default 300. */
  readonly tolerance?: number | undefined;
  /** The time to check against, for tests. Default: the clock. */
  readonly now?: Date | undefined;
}

/** How a delivery is checked where this package reads the body itself. */
export interface VerifyRequestOptions extends VerifyOptions {
  /** Bytes that are read at most; a larger body is refused. Default 1,048,576. */
  readonly maxBodyBytes?: number | undefined;
}

/** Bytes of a body that are read where the caller sets no limit. */
export const MAX_BODY_BYTES = 1_048_576;

/**
 * Returns the secrets as a list of at most 16: each costs a hash of the body. Throws a `TypeError`
 * for an empty secret, which anybody could sign with.
 */
export function secretsOf({ secret }: Pick<VerifyOptions, 'secret'>): readonly string[] {
  const secrets: readonly unknown[] = Array.isArray(secret) ? [...secret] : [secret];
  const isSecret = (each: unknown) => typeof each === 'string' && each;
  if (!secrets[0] || secrets[16] || !secrets.every(isSecret)) {
    throw new TypeError('secret must be 1 to 16 non-empty strings');
  }
  return secrets as readonly string[];
}
