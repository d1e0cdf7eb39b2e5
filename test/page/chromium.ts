/** Where Chromium is. It is not downloaded: the browser of the machine is used. */
import { existsSync } from 'node:fs';
import { type Browser, chromium } from 'playwright-core';

const PLACES = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

export function findChromium(): string | undefined {
  const named = process.env['CHANDLER_CHROMIUM'];
  return [...(named === undefined ? [] : [named]), ...PLACES].find((path) => existsSync(path));
}

export const WITHOUT_CHROMIUM = `no Chromium at ${PLACES.join(', ')}; install the package chromium, or name one with CHANDLER_CHROMIUM`;

export async function launchChromium(args: readonly string[] = []): Promise<Browser> {
  const executablePath = findChromium();
  if (executablePath === undefined) throw new Error(WITHOUT_CHROMIUM);
  // A container has neither the namespaces of Chromium's sandbox nor much of /dev/shm; the pages are our own.
  return chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-dev-shm-usage', ...args] });
}
