import { readFile } from 'node:fs/promises';
import { isIP } from 'node:net';

/** Returns the addresses that `/etc/hosts` has for a host, in the order of the file. */
export async function findInHostsFile(hostname: string): Promise<string[]> {
  return findInHosts(await readHostsFile(), hostname);
}

/** Returns the addresses that the text of a hosts file has for a host. */
export function findInHosts(text: string, hostname: string): string[] {
  const wanted = withoutFinalDot(hostname);
  return text.split('\n').flatMap((line) => {
    const [entry = ''] = line.split('#');
    const [address = '', ...names] = entry.split(/\s/).filter((word) => word !== '');
    const isMatch = isIP(address) !== 0 && names.some((name) => withoutFinalDot(name) === wanted);
    return isMatch ? [address] : [];
  });
}

function withoutFinalDot(name: string): string {
  return (name.endsWith('.') ? name.slice(0, -1) : name).toLowerCase();
}

async function readHostsFile(): Promise<string> {
  try {
    return await readFile('/etc/hosts', 'utf8');
  } catch (error) {
    // Containers without a libc and Windows do not have the file.
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return '';
    throw error;
  }
}
