import { statfsSync } from 'node:fs';
import { dirname } from 'node:path';

// The types that statfs(2) of Linux reports.
const names: ReadonlyMap<number, string> = new Map([
  [0x6969, 'NFS'],
  [0x517b, 'SMB'],
  [0xfe534d42, 'SMB'],
  [0xff534d42, 'CIFS'],
  [0x5346414f, 'AFS'],
  [0x00c36400, 'Ceph'],
  [0x0bd00bd0, 'Lustre'],
  [0x47504653, 'GPFS'],
]);

/** Returns the name of a file system on other machines; undefined for a local or an unknown one. */
export function networkFileSystemOf(type: number): string | undefined {
  return process.platform === 'linux' ? names.get(type >>> 0) : undefined;
}

/** Returns the name of the network file system that a file is on; undefined if it is a local one. */
export function findNetworkFileSystem(path: string): string | undefined {
  return networkFileSystemOf(statfsSync(dirname(path)).type);
}
