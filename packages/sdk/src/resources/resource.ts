import type { Transport } from '../send-request.js';

/** The base class of the resources of a client. */
export class Resource {
  declare protected readonly api: Transport;

  constructor(transport: Transport) {
    this.api = transport;
  }
}
