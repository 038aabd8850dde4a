import { linkSync, lstatSync, renameSync, unlinkSync } from 'node:fs';
import { connect } from 'node:net';

/**
 * Removes the socket file of a process that has ended. Returns false and changes nothing when a process
 * listens there, or when the file is not a socket.
 */
export async function removeStaleSocket(path: string): Promise<boolean> {
  if (!lstatSync(path, { throwIfNoEntry: false })?.isSocket()) return false;
  if (await hasListener(path)) return false;
  // Another process may have replaced the stale socket since the check. So the file is renamed to a
  // unique name and checked again.
  const aside = `${path}.${process.pid}`;
  renameSync(path, aside);
  try {
    if (!(await hasListener(aside))) return true;
    linkSync(aside, path);
    return false;
  } finally {
    unlinkSync(aside);
  }
}

function hasListener(path: string): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const socket = connect(path);
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'ECONNREFUSED') resolve(false);
      // The backlog is full or permission is missing, so a process may listen.
      else if (['EAGAIN', 'EACCES', 'EPERM'].includes(error.code ?? '')) resolve(true);
      else reject(error);
    });
  });
}
