/**
 * The process that creates one backup with `takeBackup`, whose options are its argument as JSON. It
 * writes the result to standard output as JSON. `run-backup-process` starts and kills it.
 */
import { type BackupOptions, takeBackup } from './take-backup.js';

// The input ends when the server has ended. A server that starts then deletes unfinished backups.
process.stdin.on('end', () => process.kill(process.pid, 'SIGKILL')).resume();
process.umask(0o077);
const options = JSON.parse(process.argv[2] ?? '') as BackupOptions;
try {
  const result = await takeBackup(options);
  process.stdout.write(JSON.stringify(result), () => process.exit());
} catch (error) {
  process.stderr.write(error instanceof Error ? error.message : String(error), () =>
    process.exit(1),
  );
}
