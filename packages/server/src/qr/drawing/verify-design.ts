import { pixelsOf, readQuickly, readThoroughly, readWithJsqr } from './decoders.js';
import { drawDesign } from './draw-design.js';
import { type Layout, layOut } from './layout.js';
import {
  errorCorrections,
  type QrDesign,
  type QrDesignChange,
  QrDesignError,
  quietZone,
} from './qr-design.js';

const maxSize = 2048;
const maxLargerSizes = 4;
// Some designs, such as a logo that is a QR code, fail with most changes. Trying all of them takes
// seconds, and on a slow machine more than the time limit of the thread, which other calls need too.
const maxTries = 8;
const maxRemedyMs = 3_000;

/**
 * Draws a design and checks that decoders read its payload from the image, byte for byte. Throws a
 * QrDesignError when they do not. It names the rule, and a change with which the design was drawn and
 * read.
 */
export async function drawVerified(design: QrDesign): Promise<Uint8Array> {
  try {
    return await drawReadable(design);
  } catch (error) {
    if (!(error instanceof QrDesignError)) throw error;
    const change = await findRemedy(error, design, {
      triesLeft: maxTries,
      endsAt: performance.now() + maxRemedyMs,
    });
    const advice = change ? `: use ${describeChange(change)}` : '';
    throw new QrDesignError(error.field, `${error.message}${advice}`);
  }
}

async function drawReadable(design: QrDesign): Promise<Uint8Array> {
  const layout = layOut(design);
  const file = await drawDesign(design, layout);
  const reason = await findReadingError(file, design);
  if (reason !== undefined) throw new UnreadableError(design, layout, reason);
  return file;
}

/**
 * Returns why a code is not readable enough. One quick try of zxing-cpp suffices for a code with a whole
 * quiet zone and no logo. Any other code must be readable for two decoders: one alone also reads codes that most
 * scanners cannot read, such as those with a logo like a finder pattern.
 */
async function findReadingError(file: Uint8Array, design: QrDesign): Promise<string | undefined> {
  const { backgroundColor, logo, margin } = design;
  const payload = Buffer.from(design.payload);
  // zxing-cpp decodes opaque PNG files itself, which takes half the time.
  const isOpaquePng = design.format === 'png' && design.background === 'solid';
  const image = isOpaquePng ? file : await pixelsOf(file, backgroundColor);
  const quick = await readQuickly(image);
  const read = quick ?? (await readThoroughly(image));
  if (!read) return 'zxing-cpp cannot read the code';
  if (!payload.equals(read)) return 'zxing-cpp reads another text';
  if (quick && !logo && margin >= quietZone) return undefined;
  const second = readWithJsqr(
    image instanceof Uint8Array ? await pixelsOf(image, backgroundColor) : image,
  );
  if (second && payload.equals(second)) return undefined;
  const which = logo
    ? 'A code with a logo'
    : margin < quietZone
      ? `A code with a margin below ${quietZone}`
      : 'A code that zxing-cpp does not read at once';
  return `jsQR ${second ? 'reads another text' : 'cannot read the code'}. ${which} must be readable for both zxing-cpp and jsQR`;
}

/** The decoders cannot read the drawn image. */
class UnreadableError extends QrDesignError {
  constructor(design: QrDesign, layout: Layout, reason: string) {
    const changes = changesOfUnreadable(design, layout);
    if (design.logo) {
      super('logoUrl', `leads to a logo with which ${reason}`, changes);
    } else if (design.margin < quietZone) {
      super('margin', `${design.margin} gives an image in which ${reason}`, changes);
    } else super('size', `${design.size} gives an image in which ${reason}`, changes);
  }
}

function changesOfUnreadable(design: QrDesign, { matrix, grid }: Layout): QrDesignChange[] {
  const { logo, errorCorrection, margin } = design;
  const changes: QrDesignChange[] = [];
  for (let wider = margin + 1; wider <= quietZone; wider += 1) changes.push({ margin: wider });
  // Sizes between two of these differ only in the quiet zone.
  for (let added = 1; added <= maxLargerSizes; added += 1) {
    const size = (matrix.side + 2 * margin) * (grid.module + added);
    if (size <= maxSize) changes.push({ size });
  }
  if (logo) {
    const higher = errorCorrections.slice(errorCorrections.indexOf(errorCorrection) + 1);
    changes.push(...higher.map((level) => ({ errorCorrection: level })), { logo: null });
  } else changes.push({ foregroundColor: '#000000', backgroundColor: '#FFFFFF' });
  return changes;
}

/** Returns the first change of an error with which the design is readable. */
async function findRemedy(
  error: QrDesignError,
  design: QrDesign,
  budget: { triesLeft: number; readonly endsAt: number },
): Promise<QrDesignChange | undefined> {
  for (const change of error.changes) {
    if (budget.triesLeft === 0 || performance.now() > budget.endsAt) return undefined;
    budget.triesLeft -= 1;
    const changed = { ...design, ...change };
    try {
      await drawReadable(changed);
      return change;
    } catch (next) {
      if (!(next instanceof QrDesignError)) throw next;
      if (next instanceof UnreadableError) continue;
      // A change may need another one: a longer code needs a larger size.
      const further = await findRemedy(next, changed, budget);
      if (further) return { ...change, ...further };
    }
  }
  return undefined;
}

function describeChange({ errorCorrection, logo, ...values }: QrDesignChange): string {
  const named = Object.entries(
    errorCorrection ? { errorCorrectionLevel: errorCorrection, ...values } : values,
  ).map(([field, value]) => `${field} ${value}`);
  return [...named, ...(logo === null ? ['no logo'] : [])].join(' and ');
}
