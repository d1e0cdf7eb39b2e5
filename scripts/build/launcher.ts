/**
 * The program that npm links, and the one that starts the sources (`npm start`). On a Node.js that is too old it says so in
 * one sentence, where the bundle would end in a SyntaxError and the sources in an unknown file extension. Its syntax is that
 * of 2020, and it loads the rest afterwards.
 */

/**
 * @param range as in `engines`: `>=22.18`.
 * @param interpreter of the first line.
 */
export function launcherText(range: string, program: string, interpreter = '/usr/bin/env node'): string {
  const [, major, minor] = /^>=(\d+)\.(\d+)$/.exec(range) ?? [];
  if (major === undefined) throw new Error(`engines.node is ${range}, which is not of the form >=22.18`);
  return `#!${interpreter}
// Written by scripts/build/launcher.ts.
const [major, minor] = process.versions.node.split('.').map(Number);
if (major < ${major} || (major === ${major} && minor < ${minor})) {
  console.error('chandler needs Node.js ${major}.${minor} or newer; this is Node.js ' + process.versions.node + '.');
  process.exitCode = 1;
} else {
  await import(${JSON.stringify(program)});
}
`;
}
