import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { expect, it } from 'vitest';
import { framingHeaders, ownHeaders } from './read-headers.js';

const folder = fileURLToPath(new URL('../../', import.meta.url));

/** Reads of request headers in the sources: by a name, and by an expression (file and text). */
function readsOfHeaders() {
  const { config } = ts.readConfigFile(`${folder}tsconfig.json`, ts.sys.readFile);
  const { fileNames, options } = ts.parseJsonConfigFileContent(config, ts.sys, folder);
  const program = ts.createProgram(
    fileNames.filter((name) => !name.endsWith('.test.ts')),
    options,
  );
  const checker = program.getTypeChecker();
  const isHeaders = (node: ts.Node) => {
    const symbol = checker.getTypeAtLocation(node).getNonNullableType().getSymbol();
    const file = symbol?.declarations?.[0]?.getSourceFile().fileName ?? '';
    return symbol?.name === 'IncomingHttpHeaders' && dirname(file).includes('@types/node');
  };
  const names = new Set<string>();
  const expressions = new Set<string>();
  const visit = (node: ts.Node): void => {
    if (ts.isPropertyAccessExpression(node) && isHeaders(node.expression)) {
      names.add(node.name.text);
    } else if (ts.isElementAccessExpression(node) && isHeaders(node.expression)) {
      const argument = node.argumentExpression;
      if (ts.isStringLiteral(argument)) names.add(argument.text);
      else {
        const file = node.getSourceFile().fileName.slice(`${folder}src/`.length);
        expressions.add(`${file}: ${node.getText()}`);
      }
    } else if (ts.isObjectBindingPattern(node) && isHeaders(node)) {
      for (const element of node.elements) {
        const name = element.propertyName ?? element.name;
        names.add(ts.isStringLiteral(name) ? name.text : name.getText());
      }
    }
    ts.forEachChild(node, visit);
  };
  for (const file of program.getSourceFiles()) {
    // The types of all other files take seconds.
    if (file.fileName.startsWith(`${folder}src/`) && /headers/i.test(file.text)) visit(file);
  }
  return { names, expressions };
}

it('the list of headers matches the headers that the sources read', { timeout: 120_000 }, () => {
  const { names, expressions } = readsOfHeaders();
  // `location` is read from responses, which have the same type.
  const known = { ...ownHeaders, ...framingHeaders, location: undefined };
  // Add missing headers to the list in read-headers.ts, which tests them.
  expect([...names].filter((name) => !(name in known))).toEqual([]);
  expect(Object.keys(ownHeaders).filter((name) => !names.has(name))).toEqual([]);
  expect([...expressions].sort()).toEqual([
    'analytics/classify/classify-visit.ts: headers[name]',
    'analytics/classify/describe-visit.ts: headers[countryHeader]',
  ]);
});
