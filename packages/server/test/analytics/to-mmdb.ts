/** A value in a database in MaxMind's format. Numbers are whole, and below 2^32. */
type Value = string | number | readonly Value[] | { readonly [name: string]: Value };

interface Network {
  /** An IPv4 or IPv6 address without `::` in front of an IPv4 address. */
  readonly address: string;
  readonly bits: number;
  readonly record: Value;
}

const isNode = (child: Child | undefined): child is Node => Array.isArray(child);
type Node = [Child?, Child?];
/** A node, or the place of a record in the data. */
type Child = Node | number;

/**
 * Returns a database in MaxMind's format (version 2.0 of its specification), with records of 24 bits.
 * A network must not contain another one. With `ipVersion` 4, all networks must be of IPv4.
 */
export function toMmdb(
  networks: readonly Network[],
  { ipVersion = 6 }: { ipVersion?: 4 | 6 } = {},
): Buffer {
  const data: Buffer[] = [];
  let dataLength = 0;
  const root: Node = [];
  for (const { address, bits, record } of networks) {
    const encoded = encode(record);
    insert(root, bitsOf(address, bits, ipVersion), dataLength);
    data.push(encoded);
    dataLength += encoded.length;
  }
  const nodes: Node[] = [];
  const collect = (node: Node): void => {
    nodes.push(node);
    for (const child of node) if (isNode(child)) collect(child);
  };
  collect(root);
  const numbers = new Map(nodes.map((node, number) => [node, number]));
  const tree = Buffer.alloc(nodes.length * 6);
  for (const [number, node] of nodes.entries()) {
    for (const side of [0, 1] as const) {
      const child = node[side];
      const record = isNode(child)
        ? (numbers.get(child) as number)
        : nodes.length + (child === undefined ? 0 : child + separator.length);
      tree.writeUIntBE(record, number * 6 + side * 3, 3);
    }
  }
  const metadata = {
    binary_format_major_version: 2,
    binary_format_minor_version: 0,
    build_epoch: Math.floor(Date.now() / 1000),
    database_type: 'Test',
    description: { en: 'A database of a test' },
    ip_version: ipVersion,
    languages: ['en'],
    node_count: nodes.length,
    record_size: 24,
  };
  return Buffer.concat([tree, separator, ...data, metadataMark, encode(metadata)]);
}

const separator = Buffer.alloc(16);
const metadataMark = Buffer.from('\xab\xcd\xefMaxMind.com', 'latin1');

/** Returns the first bits of an address. IPv4 addresses are in the first 32 of 2^128. */
function bitsOf(address: string, count: number, ipVersion: 4 | 6): number[] {
  const isIpv4 = address.includes('.');
  const [head = '', tail] = address.split('::');
  const groups = (text: string) => text.split(':').filter((group) => group !== '');
  const missing = 8 - groups(head).length - groups(tail ?? '').length;
  const numbers = isIpv4
    ? address.split('.').map(Number)
    : [...groups(head), ...Array(missing).fill('0'), ...groups(tail ?? '')].map((group) =>
        Number.parseInt(group, 16),
      );
  const width = isIpv4 ? 8 : 16;
  const bits = numbers.flatMap((number) =>
    Array.from(number.toString(2).padStart(width, '0'), Number),
  );
  const zeros = isIpv4 && ipVersion === 6 ? 96 : 0;
  return [...Array(zeros).fill(0), ...bits.slice(0, count)];
}

function insert(root: Node, bits: readonly number[], place: number): void {
  let node = root;
  for (const bit of bits.slice(0, -1)) {
    const child = node[bit];
    const next: Node = isNode(child) ? child : [];
    node[bit] = next;
    node = next;
  }
  node[bits.at(-1) as number] = place;
}

function encode(value: Value): Buffer {
  if (typeof value === 'string') {
    const bytes = Buffer.from(value);
    return Buffer.concat([control(2, bytes.length), bytes]);
  }
  if (typeof value === 'number') {
    const bytes = Buffer.alloc(4);
    bytes.writeUInt32BE(value);
    return Buffer.concat([control(6, bytes.length), bytes]);
  }
  if (Array.isArray(value)) return Buffer.concat([control(11, value.length), ...value.map(encode)]);
  const entries = Object.entries(value);
  return Buffer.concat([
    control(7, entries.length),
    ...entries.flatMap(([name, each]) => [encode(name), encode(each)]),
  ]);
}

/** Returns the type and the size of a value. */
function control(type: number, size: number): Buffer {
  // A longer value has its length less 29 in the next byte.
  const length = size < 29 ? [] : [size - 29];
  const bits = Math.min(size, 29);
  return Buffer.from(type > 7 ? [bits, type - 7, ...length] : [(type << 5) | bits, ...length]);
}
