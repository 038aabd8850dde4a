// Checks that no regular expression of the sources takes superlinear time on any input.
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, relative } from 'node:path';
import { pathToFileURL } from 'node:url';
import ts from 'typescript';
import { root } from './bootstrap.mjs';

/**
 * Patterns that need no analysis, as `/source/flags`, each with the reason. An entry that no source
 * contains any more fails the check.
 */
const settings = 'reads a setting of the operator or of the program that uses the SDK';
const agents = 'reads a user agent, which is cut at 1,024 characters first';
const numbers = 'reads a number that was formatted by the function itself';
const exceptions = new Map([
  [String.raw`/\/+$/`, settings],
  [String.raw`/(\/\/[^/:@]*:).*@/`, settings],
  [
    String.raw`/^Mozilla\/5\.0 \([^()]*\) [\w.-]+\/[\d.]+ AppleWebKit\/|like Gecko\) (?!(?:Brave|Kiwi) )[\w.-]+ Chrome\//`,
    agents,
  ],
  [
    String.raw`/\b(?!\w*(?:bot|crawl|spider|fetch|monitor))[a-z]*(?:news|search|discovery|tools|scan|radar|insight|library|download|feed)[a-z]*\/[\d.]+/gi`,
    agents,
  ],
  [String.raw`/\B(?=(?:\d{3})+$)/g`, numbers],
  [String.raw`/(\.\d\d\d*?)0+$/`, numbers],
]);

// On a busy machine, an analysis that ends in seconds takes long, and its verdict must be the same.
const timeoutMs = 300_000;
// Verdicts depend on the pattern and the analyser alone.
const cacheFile = join(root, 'node_modules/.cache/shorty/patterns.json');

/** Returns the findings in the shipped sources; undefined if there are none. */
export async function checkPatterns() {
  const packages = readdirSync(join(root, 'packages'));
  const found = [...packages.map((name) => join('packages', name, 'src')), 'examples']
    .flatMap((folder) => sourcesIn(join(root, folder)))
    .flatMap((file) => patternsIn(readFileSync(file, 'utf8'), relative(root, file)));
  return analysePatterns(found, exceptions, openCache());
}

/** Returns the findings in patterns of `patternsIn`; undefined if there are none. */
export async function analysePatterns(found, allowed = new Map(), cache = new Map()) {
  const findings = [];
  const places = new Map();
  for (const { place, pattern, finding } of found) {
    if (finding) findings.push(`${place}: ${finding}`);
    else places.set(pattern, [...(places.get(pattern) ?? []), place]);
  }
  for (const pattern of allowed.keys()) {
    if (!places.has(pattern))
      findings.push(`${pattern}: this exception matches no source; remove it`);
  }
  for (const [pattern, at] of places) {
    if (allowed.has(pattern)) continue;
    const result = await analyse(pattern, cache);
    if (result !== 'safe') findings.push(`${at.join(', ')}: ${pattern} ${result}`);
  }
  return findings.length === 0 ? undefined : findings.join('\n');
}

async function analyse(pattern, cache) {
  const known = cache.get(pattern);
  if (known) return known;
  // Its native program, or its JavaScript where there is none; both return the same verdicts.
  const { check } = await import('recheck');
  const end = pattern.lastIndexOf('/');
  const flags = pattern.slice(end + 1);
  // A fixed seed gives the same result in every run.
  const result = await check(pattern.slice(1, end), flags, {
    timeout: timeoutMs,
    randomSeed: 1,
    // Numbers of characters limit these steps, too. Limits of time would depend on the load.
    incubationTimeout: null,
    attackTimeout: null,
  });
  const summary =
    result.status === 'vulnerable'
      ? `takes ${result.complexity.summary} time, on ${JSON.stringify(result.attack.pattern).slice(0, 200)}`
      : result.status === 'safe'
        ? 'safe'
        : `could not be analysed: ${JSON.stringify(result.error ?? result.status)}`;
  if (result.status !== 'unknown') {
    cache.set(pattern, summary);
    cache.save?.();
  }
  return summary;
}

/** Returns every regular expression literal and every call of RegExp in a source text. */
export function patternsIn(text, fileName) {
  const source = ts.createSourceFile(fileName, text, ts.ScriptTarget.Latest, true);
  const found = [];
  const visit = (node) => {
    const { line } = source.getLineAndCharacterOfPosition(node.getStart(source));
    const place = `${fileName}:${line + 1}`;
    if (ts.isRegularExpressionLiteral(node)) found.push({ place, pattern: node.text });
    else if (isRegExpCall(node)) found.push({ place, ...patternOf(node) });
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

function isRegExpCall(node) {
  if (!ts.isNewExpression(node) && !ts.isCallExpression(node)) return false;
  return ts.isIdentifier(node.expression) && node.expression.text === 'RegExp';
}

function patternOf({ arguments: [pattern, flags] = [] }) {
  const isText = (node) => node !== undefined && ts.isStringLiteralLike(node);
  if (!isText(pattern) || (flags && !isText(flags))) {
    return { finding: 'RegExp of a computed text cannot be analysed: write a literal' };
  }
  return { pattern: `/${new RegExp(pattern.text).source}/${flags?.text ?? ''}` };
}

/** Lists the shipped sources. Tests, scripts and benchmarks read no foreign input. */
function sourcesIn(folder) {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) {
      return entry.name === 'node_modules' ? [] : sourcesIn(path);
    }
    return /\.(?:ts|tsx|mjs|js)$/.test(entry.name) && !/\.test\.tsx?$/.test(entry.name)
      ? [path]
      : [];
  });
}

function openCache() {
  const require = createRequire(pathToFileURL(join(root, 'package.json')));
  const { version } = require('recheck/package.json');
  const saved = existsSync(cacheFile) ? JSON.parse(readFileSync(cacheFile, 'utf8')) : {};
  const cache = new Map(saved.version === version ? saved.verdicts : []);
  cache.save = () => {
    mkdirSync(dirname(cacheFile), { recursive: true });
    writeFileSync(cacheFile, JSON.stringify({ version, verdicts: [...cache] }));
  };
  return cache;
}

if (process.argv[1] === import.meta.filename) {
  const findings = await checkPatterns();
  if (findings) console.error(findings);
  process.exitCode = findings ? 1 : 0;
}
