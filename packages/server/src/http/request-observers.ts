import type { Config } from '../config.js';
import type { Clock } from '../ports.js';
import { AccessLog } from './access-log.js';
import type { FirstHandler } from './create-http-server.js';
import type { ObserveRequest } from './trace-requests.js';

interface RequestObserverOptions {
  readonly observeRequest: ObserveRequest | undefined;
  readonly writeAccessLog: ((line: string) => void) | undefined;
  readonly config: Pick<Config, 'accessLogAddress' | 'trustedProxies'>;
  readonly clock: Clock;
}

/** Returns the handlers that see every request first and respond to none: traces and the access log. */
export function requestObservers({
  observeRequest,
  writeAccessLog,
  config: { accessLogAddress, trustedProxies },
  clock,
}: RequestObserverOptions): FirstHandler[] {
  const observers: FirstHandler[] = [];
  // First, so that the access log contains the id of the trace.
  if (observeRequest) {
    observers.push({
      handle(request, response) {
        observeRequest(request, response);
        return false;
      },
    });
  }
  if (writeAccessLog) {
    observers.push(
      new AccessLog({
        address: accessLogAddress,
        proxies: trustedProxies,
        clock,
        write: writeAccessLog,
      }),
    );
  }
  return observers;
}
