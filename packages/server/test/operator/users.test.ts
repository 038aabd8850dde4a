import { expect, it } from 'vitest';
import { command, newDatabase } from './server-process.js';

it('users invite, reset and list: a link each, and a line for each person', async () => {
  const settings = { ...(await newDatabase()), SHORTY_BASE_URL: 'https://sho.example' };
  const run = async (...args: string[]) => {
    const { code, stdout, stderr } = await command(settings, ...args);
    return { code, text: stdout + stderr };
  };
  const create = ['orgs', 'create', '--name', 'Acme', '--plan', 'free', '--json'];
  const { organizationId: org } = JSON.parse((await run(...create)).text);
  const invite = (...args: string[]) => run('users', 'invite', '--org', org, ...args);

  const invited = await invite('--email', 'Ada@Example.com', '--role', 'editor');
  expect(invited.text).toMatch(/^https:\/\/sho\.example\/dashboard\/welcome#shorty_in_[\w-]{43}$/m);
  expect((await invite('--email', 'ada@example.com')).text).toContain(
    'Somebody on this server has the address ada@example.com already',
  );
  expect((await invite('--email', 'ada')).text).toContain('ada: must be an e-mail address');
  // Without an address, the page asks for one.
  expect(JSON.parse((await invite('--json')).text).invitationUrl).toContain('?ask=email#');

  const reset = await run('users', 'reset', 'ada@example.com');
  expect(reset.text).toContain('/dashboard/welcome#');
  expect(reset.text).not.toBe(invited.text);
  expect(await run('users', 'reset', 'eve@example.com')).toMatchObject({
    code: 1,
    text: expect.stringContaining('nobody has the address eve@example.com'),
  });

  const listed = await run('users', 'list');
  expect(listed.text).toMatch(/^ada@example\.com +editor +[0-9a-f-]{36} +never$/m);
  expect(listed.text).toMatch(/^\(invited\) +owner/m);
  expect(JSON.parse((await run('users', 'list', '--org', org, '--json')).text)).toHaveLength(2);
});
