declare module 'html-encoding-sniffer' {
  /** Returns the name of a document's encoding, by the sniffing algorithm of the HTML standard. */
  export default function sniffEncoding(
    bytes: Uint8Array,
    options: {
      readonly xml: boolean;
      /** The charset of the `Content-Type` header. */
      readonly transportLayerEncodingLabel: string | undefined;
      readonly defaultEncoding: string;
    },
  ): string;
}
