import type { OrganizationUpdateRequest } from '@shorty/sdk';
import type { Context } from '../../../context.js';
import { type ExitCode, exitCodes } from '../../../exit-codes.js';

/** Changes an organization, and prints it. */
export async function changeOrganization(
  context: Context,
  id: string,
  body: OrganizationUpdateRequest,
): Promise<ExitCode> {
  const client = await context.operator();
  const path = '/api/v1/admin/organizations/{id}';
  const request = { signal: context.io.interrupt };
  await context.output.record(
    await client.request('PATCH', path, { params: { id }, body }, request),
  );
  return exitCodes.done;
}
