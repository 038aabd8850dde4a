import { extname } from 'node:path';
import type { QrUpdateRequest } from '@shorty/sdk';
import { type Command, Option } from 'commander';
import { parseCount, parsePositive } from '../urls/link-options.js';

export const formats = [
  'png',
  'svg',
  'webp',
] as const satisfies readonly QrUpdateRequest['format'][];
const levels = [
  'L',
  'M',
  'Q',
  'H',
] as const satisfies readonly QrUpdateRequest['errorCorrectionLevel'][];

const backgrounds = [
  'solid',
  'transparent',
] as const satisfies readonly QrUpdateRequest['background'][];

/** The options that `create` and `update` share. */
export interface DesignOptions {
  readonly size?: number;
  readonly format?: (typeof formats)[number] | undefined;
  readonly foregroundColor?: string;
  readonly backgroundColor?: string;
  readonly background?: (typeof backgrounds)[number];
  readonly margin?: number;
  readonly logoUrl?: string;
  readonly errorCorrectionLevel?: (typeof levels)[number];
}

export function addDesignOptions(command: Command): Command {
  return command
    .addOption(
      new Option('--size <pixels>', 'width and height of the image, 200 to 2048').argParser(
        parsePositive,
      ),
    )
    .addOption(new Option('--format <format>', 'image format').choices(formats))
    .option('--foreground-color <hex>', 'color of the dark modules, for example #1A2B3C')
    .option('--background-color <hex>', 'color of the light modules')
    .addOption(
      new Option(
        '--background <kind>',
        'transparent: no background; put the image on its background color',
      ).choices(backgrounds),
    )
    .addOption(
      new Option('--margin <modules>', 'width of the quiet zone, 0 to 16 (default: 4)').argParser(
        parseCount,
      ),
    )
    .option('--logo-url <url>', 'URL of the logo in the middle')
    .addOption(
      new Option('--error-correction-level <level>', 'error correction level').choices(levels),
    );
}

/** Returns the image format of a file name, or undefined if its extension is not one. */
export function formatOfFile(path = ''): DesignOptions['format'] {
  const extension = extname(path).slice(1).toLowerCase();
  return formats.find((format) => format === extension);
}

/** Returns the request fields of the options that were set. */
export function readDesignOptions(options: DesignOptions): QrUpdateRequest {
  const { size, format, foregroundColor, backgroundColor, logoUrl, errorCorrectionLevel } = options;
  const { background, margin } = options;
  return {
    ...(size === undefined ? {} : { size }),
    ...(format === undefined ? {} : { format }),
    ...(foregroundColor === undefined ? {} : { foregroundColor }),
    ...(backgroundColor === undefined ? {} : { backgroundColor }),
    ...(background === undefined ? {} : { background }),
    ...(margin === undefined ? {} : { margin }),
    ...(logoUrl === undefined ? {} : { logoUrl }),
    ...(errorCorrectionLevel === undefined ? {} : { errorCorrectionLevel }),
  };
}
