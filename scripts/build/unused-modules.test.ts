import { build } from 'esbuild';
import { expect, test } from 'vitest';
import { withoutUnusedModules } from './unused-modules.ts';

/** What a bundle of the metrics contains. */
async function inputsWith(plugins: (typeof withoutUnusedModules)[]): Promise<string[]> {
  const { metafile } = await build({
    stdin: { contents: "export { Registry } from 'prom-client';", resolveDir: import.meta.dirname },
    bundle: true,
    platform: 'node',
    metafile: true,
    write: false,
    plugins,
  });
  return Object.keys(metafile.inputs);
}

test('a bundle has no client of a Pushgateway, and the rest of prom-client', async () => {
  const isPushgateway = (file: string) => /node_modules\/prom-client\/.*pushgateway/.test(file);
  expect((await inputsWith([])).some(isPushgateway)).toBe(true);
  const inputs = await inputsWith([withoutUnusedModules]);
  expect(inputs.some(isPushgateway)).toBe(false);
  expect(inputs.some((file) => file.endsWith('node_modules/prom-client/lib/registry.js'))).toBe(true);
});
