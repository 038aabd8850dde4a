/** Prints a line for people on stdout. */
export function print(text: string): void {
  process.stdout.write(`${text}\n`);
}
