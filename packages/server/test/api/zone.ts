import { DnsError } from '../../src/network/dns-resolver.js';
import type { ResolveTxt } from '../../src/ports.js';

/** DNS, as far as a server asks it: TXT records by name, and names whose look-up fails. */
export class Zone {
  readonly #answers = new Map<string, readonly string[] | string>();
  /** Names in the order they were asked for. */
  readonly asked: string[] = [];

  /** A text is the code of the resolver's error. */
  set(name: string, answer: readonly string[] | string): void {
    this.#answers.set(name, answer);
  }

  readonly resolveTxt: ResolveTxt = async (name) => {
    this.asked.push(name);
    const answer = this.#answers.get(name) ?? 'ENOTFOUND';
    if (typeof answer === 'string') throw new DnsError(answer, name);
    return answer;
  };
}
