const addedMs = {
  // Redirects and the event loop: the server's purpose.
  redirect: 100,
  loop: 100,
  // Requests of other tenants share two cores with the attack, so they may queue behind it. A list waits
  // for the searches that its thread runs before: up to two, each of which takes a second or a bit more,
  // and nearly two on a slow machine.
  api: 4_000,
  unlock: 1_000,
  delivery: 1_500,
};
// A code waits for the one that is drawn before it, which may be one of the largest, and both are drawn with
// low priority beside the attack. A turn behind all codes of another tenant would take 60 times as long.
const addedDrawings = 4;
const throughput = 0.8;

/**
 * Returns the missed bounds of an attack as `{ bound, text, isTiming }`, compared with the control run
 * of the same process, which also has the time of one of the largest drawings. A miss with `isTiming` can also
 * come from other work on the machine.
 */
export function judge({ clients, loop, exits, responses }, control) {
  const misses = [];
  const fail = (text) => misses.push({ bound: text, text, isTiming: false });
  const delay = (bound, text) => misses.push({ bound, text, isTiming: true });
  if (exits > 0) fail('the server exited');
  for (const [kind, { count, p999Ms, failures }] of Object.entries(clients)) {
    const before = control.clients[kind];
    const added = kind === 'qr' ? addedDrawings * control.drawingMs : addedMs[kind];
    const most = before.p999Ms + added;
    if (Object.keys(failures).length > 0) {
      fail(`honest ${kind} failed: ${JSON.stringify(failures)}`);
    }
    if (p999Ms > most) delay(`${kind} p99.9`, `${kind} p99.9 ${ms(p999Ms)}; at most ${ms(most)}`);
    if (count < Math.floor(before.count * throughput)) {
      const text = `${kind} ${count} done against ${before.count}; at least ${throughput}`;
      delay(`${kind} throughput`, text);
    }
  }
  const mostLoop = control.loop.maxDelayMs + addedMs.loop;
  if (!loop) fail('the event loop did not respond for 30 s');
  else if (loop.maxDelayMs > mostLoop) {
    delay('event loop', `event-loop delay ${ms(loop.maxDelayMs)}; at most ${ms(mostLoop)}`);
  }
  // The server may refuse an attack with any status except that of an unexpected error.
  if (responses[500] > 0) fail(`${responses[500]} requests of the attack got status 500`);
  return misses;
}

const ms = (value) => `${Math.round(value)} ms`;
