// Loaded into a process that is measured: at its end it writes its peak memory, in MB, to a file.
import { readFileSync, writeFileSync } from 'node:fs';

process.on('exit', () => writeFileSync(process.env.PEAK_MEMORY_FILE, String(peakMegabytes())));

function peakMegabytes() {
  // What getrusage says on Linux includes the process that started this one.
  if (process.platform === 'linux') {
    const [, kilobytes] = readFileSync('/proc/self/status', 'utf8').match(/VmHWM:\s+(\d+) kB/);
    return Number(kilobytes) / 1024;
  }
  return process.resourceUsage().maxRSS / 1024;
}
