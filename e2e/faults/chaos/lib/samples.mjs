/** Collects the latencies of one kind of honest client in milliseconds, and failures by cause. */
export class Samples {
  #latencies = [];
  #failures = new Map();

  succeeded(latencyMs) {
    this.#latencies.push(latencyMs);
  }

  failed(cause) {
    this.#failures.set(cause, (this.#failures.get(cause) ?? 0) + 1);
  }

  summary() {
    const sorted = this.#latencies.toSorted((a, b) => a - b);
    const at = (share) =>
      sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
    return {
      count: sorted.length,
      p999Ms: at(0.999),
      maxMs: sorted.at(-1) ?? 0,
      failures: Object.fromEntries(this.#failures),
    };
  }
}
