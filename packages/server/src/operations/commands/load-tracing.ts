import { createRequire } from 'node:module';
import type * as OpenTelemetry from '@opentelemetry/api';
import type { Logger } from 'pino';
import { ConfigError } from '../../config-error.js';
import { type ObserveRequest, traceRequests } from '../../http/trace-requests.js';
import { version } from '../../version.js';

export interface Tracing {
  readonly observe: ObserveRequest;
  /** Exports the last spans, as far as the collector accepts them in time. Never throws. */
  stop(): Promise<void>;
}

// The last version that supports Node 20.
const install = 'npm install @opentelemetry/sdk-node@0.223.0';
// A collector that hangs must not delay a stop.
const flushWithinMs = 1_000;
const exporters = [
  'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT',
  'OTEL_EXPORTER_OTLP_ENDPOINT',
  'OTEL_TRACES_EXPORTER',
] as const;

/**
 * Starts OpenTelemetry's SDK if the environment names an exporter of traces. The SDK reads the standard
 * variables. Throws a ConfigError if its package is not installed. Returns undefined without an exporter.
 */
export async function loadTracing(
  env: NodeJS.ProcessEnv,
  logger: Logger,
): Promise<Tracing | undefined> {
  const setting = exporters.find((name) => env[name]);
  const isDisabled =
    env.OTEL_SDK_DISABLED?.toLowerCase() === 'true' || env.OTEL_TRACES_EXPORTER === 'none';
  if (setting === undefined || isDisabled) return undefined;
  const { NodeSDK, resources } = await import('@opentelemetry/sdk-node').catch((error) => {
    if (error.code !== 'ERR_MODULE_NOT_FOUND') throw error;
    throw new ConfigError(
      `${setting}=${env[setting]} needs the package @opentelemetry/sdk-node, which is not installed: run ${install}, or set OTEL_SDK_DISABLED=true`,
    );
  });
  // The SDK's own copy, because copies of different versions refuse each other.
  const requireFromSdk = createRequire(import.meta.resolve('@opentelemetry/sdk-node'));
  const api: typeof OpenTelemetry = requireFromSdk('@opentelemetry/api');
  const sdk = new NodeSDK({
    resource: resources
      .defaultResource()
      .merge(
        resources.resourceFromAttributes({ 'service.name': 'shorty', 'service.version': version }),
      ),
    // Metrics are on /metrics, and logs on stderr.
    metricReaders: [],
    logRecordProcessors: [],
  });
  const log =
    (level: 'debug' | 'info' | 'warn' | 'error') =>
    (message: string, ...details: unknown[]) =>
      logger[level]({ details }, `OpenTelemetry: ${message}`);
  api.diag.setLogger(
    {
      verbose: log('debug'),
      debug: log('debug'),
      info: log('info'),
      warn: log('warn'),
      error: log('error'),
    },
    { logLevel: api.DiagLogLevel.WARN, suppressOverrideMessage: true },
  );
  sdk.start();
  return {
    observe: traceRequests(api, api.trace.getTracer('shorty', version)),
    stop: () => flush(() => sdk.shutdown(), logger),
  };
}

async function flush(shutdown: () => Promise<void>, logger: Logger): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<never>((_resolve, reject) => {
    const reason = `the collector did not respond within ${flushWithinMs} ms`;
    timer = setTimeout(() => reject(new Error(reason)), flushWithinMs);
  });
  try {
    await Promise.race([shutdown(), timeout]);
  } catch (err) {
    logger.warn({ err }, 'the last spans were not exported');
  } finally {
    clearTimeout(timer);
  }
}
