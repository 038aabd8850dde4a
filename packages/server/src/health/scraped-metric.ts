import { Counter, Gauge, type Registry } from 'prom-client';

/** A value with its labels. */
export interface Sample {
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

/** A metric whose values exist elsewhere in the server. They are read at each scrape of `/metrics`. */
export interface ScrapedMetric {
  readonly name: string;
  readonly help: string;
  readonly labelNames?: readonly string[];
  /** A counter adds up samples with the same labels. */
  readonly read: () => number | readonly Sample[];
}

export function registerGauge(registry: Registry, metric: ScrapedMetric): void {
  new Gauge({
    ...configOf(registry, metric),
    collect() {
      this.reset();
      for (const { labels, value } of samplesOf(metric)) this.set(labels, value);
    },
  });
}

export function registerCounter(registry: Registry, metric: ScrapedMetric): void {
  new Counter({
    ...configOf(registry, metric),
    collect() {
      this.reset();
      for (const { labels, value } of samplesOf(metric)) this.inc(labels, value);
    },
  });
}

function configOf(registry: Registry, { name, help, labelNames = [] }: ScrapedMetric) {
  return { name, help, labelNames, registers: [registry] };
}

function samplesOf({ read }: ScrapedMetric): readonly Sample[] {
  const value = read();
  return typeof value === 'number' ? [{ labels: {}, value }] : value;
}
