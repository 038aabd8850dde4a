// Preloaded into the measured process. Writes its peak memory in MB to a file at exit.
import { readFileSync, writeFileSync } from 'node:fs';

process.on('exit', () => writeFileSync(process.env.PEAK_MEMORY_FILE, String(peakMegabytes())));

function peakMegabytes() {
  // On Linux, getrusage includes the memory of the parent process before exec.
  if (process.platform === 'linux') {
    const [, kilobytes] = readFileSync('/proc/self/status', 'utf8').match(/VmHWM:\s+(\d+) kB/);
    return Number(kilobytes) / 1024;
  }
  return process.resourceUsage().maxRSS / 1024;
}
