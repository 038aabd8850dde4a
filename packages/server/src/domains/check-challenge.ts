import { DnsError, type DnsFault } from '../network/dns-error.js';
import type { ResolveTxt } from '../ports.js';
import type { Domain } from './domain.js';
import { challengeNameOf } from './hostname.js';

// What is in DNS is the owner's, and shown to be recognised.
const maxShownRecords = 3;
const maxShownLength = 80;

type Challenged = Pick<Domain, 'hostname' | 'challenge'>;

/** Looks for the challenge in DNS; null when it is there, or else what is and what would be right. */
export async function checkChallenge(
  resolveTxt: ResolveTxt,
  domain: Challenged,
): Promise<string | null> {
  const name = challengeNameOf(domain.hostname);
  let records: readonly string[];
  try {
    records = await resolveTxt(name);
  } catch (error) {
    if (!(error instanceof DnsError)) throw error;
    return explain(error.fault, name, domain);
  }
  // Editors of zones leave spaces and quotes behind.
  const isThere = records.some((text) => trim(text) === domain.challenge);
  if (isThere) return null;
  if (records.length === 0) return explain('no_record', name, domain);
  const shown = records.slice(0, maxShownRecords).map((text) => JSON.stringify(cut(text)));
  const more = records.length - shown.length;
  const found = `${shown.join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
  return `The TXT record at ${name} is ${found}; it must be ${JSON.stringify(domain.challenge)}`;
}

/** Without spaces and quotes at the ends. By index: a pattern would take quadratic time. */
function trim(text: string): string {
  let start = 0;
  let end = text.length;
  while (start < end && isPadding(text[start] as string)) start += 1;
  while (end > start && isPadding(text[end - 1] as string)) end -= 1;
  return text.slice(start, end);
}

function isPadding(character: string): boolean {
  return character === '"' || character.trim() === '';
}

function explain(fault: DnsFault, name: string, { hostname, challenge }: Challenged): string {
  const toSet = `set it to ${JSON.stringify(challenge)} and allow DNS some minutes`;
  const explanations: Record<DnsFault, string> = {
    no_name: `DNS knows no name ${name} (NXDOMAIN): make a TXT record there, ${toSet}`,
    no_record: `There is no TXT record at ${name}: ${toSet}`,
    server_failure: `The name servers of ${hostname} fail (SERVFAIL): look into them and into DNSSEC`,
    refused: `DNS refuses to look up ${name} (REFUSED): look into the name servers of ${hostname}`,
    bad_answer: `The answer of DNS about ${name} cannot be read: look into the name servers of ${hostname}`,
    timeout: `DNS did not answer about ${name} in time: try again, or look into the name servers of ${hostname}`,
    unreachable: `No DNS server could be reached to look up ${name}: try again later`,
  };
  return explanations[fault];
}

function cut(text: string): string {
  return text.length > maxShownLength ? `${text.slice(0, maxShownLength)}…` : text;
}
