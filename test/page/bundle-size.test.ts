import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { bundleApp } from './bundle.ts';

const LIMIT_BYTES = 150 * 1024;

test('the app is under 150 KB, gzipped, and loads nothing from elsewhere', async () => {
  const assets = await bundleApp();
  expect([...assets.keys()].sort()).toEqual(['/', '/main.js', '/style.css']);
  const bytes = [...assets.values()].reduce((sum, { body }) => sum + gzipSync(body).length, 0);
  expect(bytes).toBeLessThan(LIMIT_BYTES);
  for (const [path, { body }] of assets) {
    const addresses =
      Buffer.from(body)
        .toString('utf8')
        .match(/(?:https?:)?\/\/[a-z][\w.-]+\.[a-z]{2,}/gi) ?? [];
    // Names of XML namespaces are no addresses.
    expect({ path, addresses: addresses.filter((each) => !each.endsWith('www.w3.org')) }).toEqual({
      path,
      addresses: [],
    });
  }
});
