import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { installPackage } from './packed.js';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'verifier-memory-'));
});
afterAll(() => rm(folder, { recursive: true }));

/** Verifies forged bodies of 50 MB in a process of its own and prints what is left of them. */
const program = `
import * as verifier from '@shorty/webhook-verifier';

const size = 50 * 1024 * 1024;
const options = { secret: ['one', 'two'], maxBodyBytes: 2 * size };
const headers = {
  'x-service-timestamp': String(Math.floor(Date.now() / 1000)),
  'x-service-signature': 'sha256=' + '0'.repeat(64),
};
const refs = [];
const codes = [];
async function forge(verify) {
  const body = new Uint8Array(size).fill(120);
  refs.push(new WeakRef(body.buffer));
  try {
    await verify(body);
  } catch (error) {
    refs.push(new WeakRef(error));
    codes.push(error.code);
  }
}
const request = (body) => ({ headers, arrayBuffer: async () => body.buffer });
const streamed = (body) => new Request('http://receiver.test', { method: 'POST', headers, body });
const memory = () => { const { arrayBuffers, heapUsed } = process.memoryUsage(); return arrayBuffers + heapUsed; };
const settle = async () => {
  for (let turn = 0; turn < 5; turn += 1) {
    await new Promise(setImmediate);
    globalThis.gc();
  }
};
await settle();
const before = memory();
await forge((body) => verifier.verifyWebhook({ body, headers, ...options }));
await forge((body) => verifier.verifySignature({ body, headers, ...options }));
await forge((body) => verifier.verifyWebhook({ body: Buffer.from(body).toString(), headers, ...options }));
await forge((body) => verifier.verifyRequest(request(body), options));
await forge((body) => verifier.verifyRequest(streamed(body), options));
await settle();
const reachable = refs.filter((ref) => ref.deref() !== undefined).length;
console.log(JSON.stringify({ codes, reachable, held: memory() - before }));
`;

it('retains no memory of a forged body of 50 MB', async () => {
  const installed = await installPackage();
  try {
    const file = join(folder, 'forge.mjs');
    await writeFile(file, await installed.bundle(program, 'node'));
    const { stdout } = await promisify(execFile)(process.execPath, ['--expose-gc', file]);
    const { codes, reachable, held } = JSON.parse(stdout);
    expect(codes).toEqual(Array(5).fill('signature_mismatch'));
    expect(reachable).toBe(0);
    expect(held).toBeLessThan(4 * 1024 * 1024);
  } finally {
    await installed.remove();
  }
}, 60_000);
