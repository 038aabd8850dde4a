import { truncateText } from '../contract/api-error.js';
import { DnsError, type DnsFailure } from '../network/dns-resolver.js';
import type { ResolveTxt } from '../ports.js';
import type { Domain } from './domain-repository.js';
import { challengeNameOf } from './hostname.js';

// The message shows enough of the existing records for their owner to recognise them.
const maxShownRecords = 3;
const maxShownLength = 80;

type ChallengedDomain = Pick<Domain, 'hostname' | 'challenge'>;

/** Looks up the TXT record of a domain. Returns null when it has the challenge, else an error message. */
export async function checkChallenge(
  resolveTxt: ResolveTxt,
  domain: ChallengedDomain,
): Promise<string | null> {
  const name = challengeNameOf(domain.hostname);
  let records: readonly string[];
  try {
    records = await resolveTxt(name);
  } catch (error) {
    if (!(error instanceof DnsError)) throw error;
    return explain(error.reason, name, domain);
  }
  // Some DNS editors add spaces and quotes.
  const isProven = records.some((text) => text.replaceAll('"', '').trim() === domain.challenge);
  if (isProven) return null;
  if (records.length === 0) return explain('no_record', name, domain);
  const shown = records.slice(0, maxShownRecords).map((text) => JSON.stringify(truncate(text)));
  const more = records.length - shown.length;
  const found = `${shown.join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
  return `The TXT record at ${name} is ${found}; it must be ${JSON.stringify(domain.challenge)}`;
}

function explain(
  reason: DnsFailure,
  name: string,
  { hostname, challenge }: ChallengedDomain,
): string {
  const toSet = `set it to ${JSON.stringify(challenge)} and allow DNS some minutes`;
  const explanations: Record<DnsFailure, string> = {
    no_name: `DNS has no name ${name} (NXDOMAIN): create a TXT record there, ${toSet}`,
    no_record: `There is no TXT record at ${name}: ${toSet}`,
    server_failure: `The name servers of ${hostname} fail (SERVFAIL): check them and DNSSEC`,
    refused: `DNS refuses to look up ${name} (REFUSED): check the name servers of ${hostname}`,
    bad_answer: `The DNS response for ${name} cannot be read: check the name servers of ${hostname}`,
    timeout: `DNS did not answer for ${name} in time: try again, or check the name servers of ${hostname}`,
    unreachable: `No DNS server could be reached to look up ${name}: try again later`,
  };
  return explanations[reason];
}

function truncate(text: string): string {
  return text.length > maxShownLength ? `${truncateText(text, maxShownLength)}…` : text;
}
