import { ConfigError } from '../../config-error.js';
import { StorageUnavailableError } from '../../storage/database.js';

// EX_CONFIG of sysexits.h.
const configurationStatus = 78;

// Full disks and tables of the system, an address or a lock that another process has, names and
// interfaces that are not known yet.
const temporaryCodes =
  /^(EADDRINUSE|EADDRNOTAVAIL|EAGAIN|EAI_\w+|EBUSY|EDQUOT|EIO|EMFILE|ENFILE|ENOMEM|ENOSPC|ENOTCONN|ENOTFOUND|ESTALE|ETIMEDOUT|SQLITE_(BUSY|FULL|IOERR|LOCKED|NOMEM)\w*)$/;
// A path that does not exist or may not be used, a file that is no intact database, and a native module
// for another version of Node.
const lastingCodes =
  /^(EACCES|EISDIR|ERR_DLOPEN_FAILED|ELOOP|ENAMETOOLONG|ENOENT|ENOTDIR|EPERM|EROFS|SQLITE_(AUTH|CANTOPEN|CORRUPT|NOTADB|PERM|READONLY)\w*)$/;

/**
 * Returns the exit status of a start that failed: 78 if each further start would fail, too, until
 * somebody changes a setting or a file, and 1 if a restart may succeed.
 */
export function exitStatusOfStart(error: unknown): 1 | typeof configurationStatus {
  if (error instanceof StorageUnavailableError) return 1;
  const errors = [...causesOf(error)];
  const codes = errors.map(({ code }) => String(code));
  if (codes.some((code) => temporaryCodes.test(code))) return 1;
  const isLasting =
    errors[0] instanceof ConfigError || codes.some((code) => lastingCodes.test(code));
  return isLasting ? configurationStatus : 1;
}

function* causesOf(error: unknown): Generator<NodeJS.ErrnoException> {
  for (let each = error; each instanceof Error; each = each.cause) yield each;
}
