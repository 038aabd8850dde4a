import { Counter, Gauge, type Registry } from 'prom-client';

/** A value with its labels. */
export interface Sample {
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

/** A metric whose values exist elsewhere in the server. They are read at each scrape of `/metrics`. */
export interface ScrapedMetric {
  /** A counter has a name that ends with `_total`. Any other metric is a gauge. */
  readonly name: string;
  readonly help: string;
  readonly labelNames?: readonly string[];
  /** Samples with the same labels are added up. */
  readonly read: () => number | readonly Sample[];
}

export function registerMetric(
  registry: Registry,
  { name, help, labelNames = [], read }: ScrapedMetric,
): void {
  const Metric = name.endsWith('_total') ? Counter : Gauge;
  new Metric({
    name,
    help,
    labelNames,
    registers: [registry],
    collect() {
      this.reset();
      const value = read();
      const samples = typeof value === 'number' ? [{ labels: {}, value }] : value;
      for (const sample of samples) this.inc(sample.labels, sample.value);
    },
  });
}
