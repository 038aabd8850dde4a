import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { freePort, root, scratchFolder, startTool } from './processes.js';

/**
 * Starts nginx with examples/nginx.conf. Only the addresses of nginx and Shorty differ. `directives` are
 * those that an operator has set for all servers.
 */
export async function startNginx(
  upstream: string,
  directives = '',
): Promise<{ readonly port: number }> {
  const folder = scratchFolder();
  const port = await freePort();
  const example = (await readFile(join(root, 'examples/nginx.conf'), 'utf8'))
    .replace('server 127.0.0.1:3000;', `server ${upstream};`)
    .replace('listen 80;', `listen 127.0.0.1:${port};`)
    .replace('listen [::]:80;', '');
  const config = join(folder, 'nginx.conf');
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
    .map((name) => `${name}_temp_path ${folder}/${name};`)
    .join('\n  ');
  await writeFile(
    config,
    `daemon off;
pid ${folder}/nginx.pid;
error_log stderr warn;
events {}
http {
  access_log off;
  ${temporary}
  ${directives}
  ${example}
}
`,
  );
  // On SIGTERM, nginx also ends its worker processes.
  await startTool('nginx', ['-p', folder, '-c', config, '-e', 'stderr'], port, {
    signal: 'SIGTERM',
  });
  return { port };
}
