import chromium from '@sparticuz/chromium';

/** Unpacks Chromium before test files run in parallel, because each of them would unpack it. */
export default async function setUp(): Promise<void> {
  await chromium.executablePath();
}
