import type { Domain } from '@shorty/sdk';
import type { Context } from '../../context.js';

/** Prints a domain. Tables and CSV have separate fields for the TXT record. */
export async function writeDomain({ output }: Context, domain: Domain): Promise<void> {
  if (output.format === 'json' || output.format === 'ndjson') return output.record(domain);
  const { txtRecord, ...fields } = domain;
  const { name: txtName, value: txtValue } = txtRecord;
  await output.record({ ...fields, txtName, txtValue });
}
