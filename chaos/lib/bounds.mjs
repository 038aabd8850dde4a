// What must hold beside an attack, compared with the control run of the same process.
const addedMs = {
  // What a visitor or the event loop may wait longer than without the attack.
  redirect: 100,
  loop: 100,
  // Work of other tenants shares two cores with the attack, so it may wait for some of its work.
  api: 500,
  unlock: 1_000,
  qr: 1_500,
  delivery: 1_500,
};
const throughput = 0.8;

/** The bounds that a row misses, as sentences; empty when all hold. */
export function judge({ clients, loop, exits, responses }, control) {
  const misses = [];
  if (exits > 0) misses.push('the server ended');
  for (const [kind, { count, p999Ms, failures }] of Object.entries(clients)) {
    const before = control.clients[kind];
    const most = before.p999Ms + addedMs[kind];
    if (Object.keys(failures).length > 0) {
      misses.push(`honest ${kind} failed: ${JSON.stringify(failures)}`);
    }
    if (p999Ms > most) misses.push(`${kind} p99.9 ${ms(p999Ms)}; at most ${ms(most)}`);
    if (count < Math.floor(before.count * throughput)) {
      misses.push(`${kind} ${count} done against ${before.count}; at least ${throughput}`);
    }
  }
  const mostLoop = control.loop.maxDelayMs + addedMs.loop;
  if (!loop) misses.push('the event loop did not answer for 30 s');
  else if (loop.maxDelayMs > mostLoop) {
    misses.push(`event-loop delay ${ms(loop.maxDelayMs)}; at most ${ms(mostLoop)}`);
  }
  // An attack may be refused by any status but the one that says that we did not expect it.
  if (responses[500] > 0) misses.push(`${responses[500]} attacking requests were answered 500`);
  const crashes = Object.keys(responses).filter((key) => /^exit (?![0-4]$)/.test(key));
  if (crashes.length > 0) misses.push(`the CLI ended with ${crashes.join(', ')}`);
  return misses;
}

const ms = (value) => `${Math.round(value)} ms`;
