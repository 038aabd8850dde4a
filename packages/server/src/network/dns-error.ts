/** Why a DNS look-up failed. */
export type DnsFailure =
  /** NXDOMAIN: the name does not exist. */
  | 'no_name'
  /** The name exists and has no record of the type. */
  | 'no_record'
  /** SERVFAIL. */
  | 'server_failure'
  /** REFUSED, or not implemented. */
  | 'refused'
  | 'bad_answer'
  | 'timeout'
  | 'unreachable';

export class DnsError extends Error {
  override readonly name = 'DnsError';
  readonly reason: DnsFailure;

  constructor(reason: DnsFailure, message: string, options?: ErrorOptions) {
    super(message, options);
    this.reason = reason;
  }
}
