import { formatNumber } from '@shorty/report';
import type { Me, Usage } from '@shorty/sdk';
import type { CommandRow } from '../command.js';
import type { Context } from '../context.js';
import { profileExists, requireCredentials, type Sourced } from '../settings.js';

// The two records print as one table.
const labelWidth = 'client secret'.length;

export const whoami: CommandRow = {
  summary: 'Show the server and the credentials in use, with their sources',
  examples: ['shorty whoami', 'shorty whoami --json'],
  run: printAccount,
};

async function printAccount(context: Context): Promise<undefined> {
  const { io, output, request } = context;
  // `shorty admin` uses it, with the server of the same profile.
  const operatorKey = io.env.SHORTY_OPERATOR_KEY ? 'set (SHORTY_OPERATOR_KEY)' : undefined;
  const settings = await context.settings();
  const { profile, baseUrl, apiKey, clientId, clientSecret, accessToken } = settings;
  if (output.format === 'table') {
    // Printed before the request, so that a wrong base URL is visible when the request fails.
    const credentials = accessToken
      ? { 'access token': `set (${accessToken.source})` }
      : apiKey
        ? { key: `set (${apiKey.source})` }
        : { 'client id': describeSetting(clientId), 'client secret': describeSecret(clientSecret) };
    await output.record(
      {
        profile: describeSetting(profile),
        server: describeSetting(baseUrl),
        ...credentials,
        ...(operatorKey && { 'operator key': operatorKey }),
      },
      labelWidth,
    );
  }
  const isSignedIn = accessToken || apiKey || (clientId && clientSecret);
  if (operatorKey && !isSignedIn && profileExists(settings)) {
    if (output.format !== 'table') {
      const server = { profile: profile.value, baseUrl: baseUrl.value };
      await output.record({ ...server, organization: null, hasOperatorKey: true });
    }
    output.note('signed in to no organization; shorty admin works with the operator key');
    return;
  }
  const credentials = requireCredentials(settings);
  const client = await context.client();
  const { organization, scopes, apiKey: key } = await client.me(request);
  const { plan } = organization;
  const restriction = restrictionOf(key);
  // A restricted key cannot read the usage of the organization.
  const links = restriction === '' ? (await client.usage.get({}, request)).links : null;
  if (output.format === 'table') {
    const account = {
      ...(key && { 'API key': key.name }),
      ...(restriction && { 'restricted to': restriction }),
      organization: organization.name,
      scopes: scopes.join(' '),
      plan,
      ...(links && { links: describeLinks(links) }),
    };
    await output.record(account, labelWidth);
  } else {
    await output.record({
      profile: profile.value,
      baseUrl: baseUrl.value,
      clientId: 'clientId' in credentials ? credentials.clientId : null,
      organization,
      apiKey: key,
      scopes,
      plan,
      links,
      hasOperatorKey: operatorKey !== undefined,
      sources: {
        profile: profile.source,
        baseUrl: baseUrl.source,
        ...(accessToken
          ? { accessToken: accessToken.source }
          : apiKey
            ? { apiKey: apiKey.source }
            : { clientId: clientId?.source, clientSecret: clientSecret?.source }),
      },
    });
  }
}

/** Returns what an API key is restricted to; an empty text for nothing. */
function restrictionOf(key: Me['apiKey']): string {
  const parts = [key?.domainId && `domain ${key.domainId}`, key?.onlyOwnLinks && 'its own links'];
  return parts.filter(Boolean).join(', ');
}

function describeLinks({ used, included }: Usage['links']): string {
  const bundle = included === null ? '' : ` of ${formatNumber(included)}`;
  return `${formatNumber(used)} active${bundle}`;
}

function describeSetting(sourced: Sourced | undefined): string {
  return sourced ? `${sourced.value} (${sourced.source})` : 'not set';
}

function describeSecret(secret: Sourced | undefined): string {
  return secret ? `set (${secret.source})` : 'not set';
}
