import type { DefineCommand } from '../command.js';
import type { Context } from '../context.js';
import { type ExitCode, exitCodes } from '../exit-codes.js';
import { requireCredentials, type Settings, type Sourced } from '../settings.js';
import { fetchScopes } from '../sign-in.js';

export const define: DefineCommand = (command, start) => {
  command.action(() => start(whoami));
};

async function whoami(context: Context): Promise<ExitCode> {
  const { output } = context;
  const settings = await context.settings();
  const { profile, baseUrl, clientId, clientSecret, accessToken } = settings;
  if (output.format === 'table') {
    // Told before the server is asked, so that a wrong address can be seen.
    const credentials = accessToken
      ? { 'access token': `set (${accessToken.source})` }
      : { 'client id': told(clientId), 'client secret': toldSecret(clientSecret) };
    await output.record({ profile: told(profile), server: told(baseUrl), ...credentials });
  }
  const credentials = requireCredentials(settings);
  const scopes = await findScopes(context, settings);
  const usage = await (await context.client()).usage.get();
  const { plan, links } = usage;
  if (output.format === 'table') {
    await output.record({
      scopes: scopes?.join(' ') ?? 'as the token has them',
      plan,
      links: `${links.used} active${links.included === null ? '' : ` of ${links.included}`}`,
    });
  } else {
    await output.record({
      profile: profile.value,
      baseUrl: baseUrl.value,
      clientId: 'clientId' in credentials ? credentials.clientId : null,
      scopes: scopes ?? null,
      plan,
      links,
      sources: {
        profile: profile.source,
        baseUrl: baseUrl.source,
        ...(accessToken
          ? { accessToken: accessToken.source }
          : { clientId: clientId?.source, clientSecret: clientSecret?.source }),
      },
    });
  }
  return exitCodes.done;
}

async function findScopes(context: Context, settings: Settings): Promise<string[] | undefined> {
  const { accessToken, baseUrl, clientId, clientSecret } = settings;
  if (accessToken || !clientId || !clientSecret) return undefined;
  return fetchScopes(
    { baseUrl: baseUrl.value, clientId: clientId.value, clientSecret: clientSecret.value },
    context.io,
  );
}

function told(sourced: Sourced | undefined): string {
  return sourced ? `${sourced.value} (${sourced.source})` : 'not set';
}

function toldSecret(secret: Sourced | undefined): string {
  return secret ? `set (${secret.source})` : 'not set';
}
