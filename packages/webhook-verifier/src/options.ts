/** How a delivery is checked. */
export interface VerifyOptions {
  /** The webhook's signing secret, or several while it is being rotated: any may match. */
  readonly secret: string | readonly string[];
  /** Seconds that the timestamp may lie before or after now. Default 300. */
  readonly tolerance?: number | undefined;
  /** The time to check against, for tests. Default: the clock. */
  readonly now?: Date | undefined;
}

/** The secrets as a list. An empty one is a slip in the caller's settings that anybody could sign with. */
export function secretsOf(secret: VerifyOptions['secret']): readonly string[] {
  const secrets: readonly unknown[] = Array.isArray(secret) ? secret : [secret];
  if (secrets.length === 0 || !secrets.every((each) => typeof each === 'string' && each !== '')) {
    throw new TypeError('secret must be a non-empty string, or several');
  }
  return secrets as readonly string[];
}
