/** The smoke test, loaded when it is run: it needs what `why` needs, which checks of files do not. */
import type { SmokeOptions } from './run-smoke.ts';
import type { SmokeResult } from './smoke-result.ts';

export type { SmokeOptions } from './run-smoke.ts';

export async function smokeTest(options: SmokeOptions): Promise<SmokeResult> {
  const { runSmoke } = await import('./run-smoke.ts');
  return runSmoke(options);
}
