import type { CommandRow } from '../command.js';
import { profileExists, requireCredentials } from '../settings.js';

export const whoami: CommandRow = {
  summary: 'Show the server and the credentials in use, with their sources',
  examples: ['shorty whoami', 'shorty whoami --json'],
  run: async (context) => {
    const { io, output, request } = context;
    const settings = await context.settings();
    const { profile, baseUrl, apiKey, clientId, clientSecret, accessToken } = settings;
    // `shorty admin` uses it, with the server of the same profile.
    const hasOperatorKey = Boolean(io.env.SHORTY_OPERATOR_KEY);
    const account = { profile: profile.value, baseUrl: baseUrl.value };
    const sources = {
      ...{ profile: profile.source, baseUrl: baseUrl.source },
      ...(accessToken
        ? { accessToken: accessToken.source }
        : apiKey
          ? { apiKey: apiKey.source }
          : { clientId: clientId?.source, clientSecret: clientSecret?.source }),
      ...(hasOperatorKey && { operatorKey: 'SHORTY_OPERATOR_KEY' }),
    };
    // Before the request, so that a wrong base URL is visible when the request fails.
    if (output.isForPeople) output.note(`asking ${baseUrl.value} (${baseUrl.source})`);
    const isSignedIn = accessToken || apiKey || (clientId && clientSecret);
    if (hasOperatorKey && !isSignedIn && profileExists(settings)) {
      await output.record({ ...account, organization: null, hasOperatorKey, sources });
      output.note('signed in to no organization; shorty admin works with the operator key');
      return;
    }
    const credentials = requireCredentials(settings);
    const client = await context.client();
    const { organization, scopes, apiKey: key } = await client.me(request);
    const { plan } = organization;
    // A restricted key cannot read the usage of the organization.
    const isRestricted = key !== null && (key.domainId !== null || key.onlyOwnLinks);
    const links = isRestricted ? null : (await client.usage.get({}, request)).links;
    await output.record({
      ...account,
      clientId: 'clientId' in credentials ? credentials.clientId : null,
      ...{ organization, apiKey: key, scopes, plan, links, hasOperatorKey, sources },
    });
  },
};
