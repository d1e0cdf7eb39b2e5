#!/usr/bin/env node
// Written by scripts/build/launcher.ts.
const [major, minor] = process.versions.node.split('.').map(Number);
if (major < 22 || (major === 22 && minor < 18)) {
  console.error('chandler needs Node.js 22.18 or newer; this is Node.js ' + process.versions.node + '.');
  process.exitCode = 1;
} else {
  await import("./src/cli/main.ts");
}
