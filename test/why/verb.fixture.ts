/** Verbs as people call them: arguments and environment in, exit code and output out, in real time. */
import { promMetrics, systemClock, systemWorld } from '@chandler/kube';
import { virtualWorld } from '@chandler/kube/testing';
import { run, VERBS } from '../../packages/chandler/src/cli/testing.ts';
import type { Playground } from '../../packages/chandler/src/playground/index.ts';

export async function chandler(args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  let out = '';
  let err = '';
  const world = virtualWorld();
  const code = await run(VERBS, {
    args,
    env,
    terminal: { out: (text) => (out += text), err: (text) => (err += text), color: false },
    interrupted: new AbortController().signal,
    world: async () => ({
      ...systemWorld({ log: world.log, metrics: promMetrics({ processMetrics: false }) }),
      clock: systemClock,
    }),
  });
  return { code, out, err };
}

/** The kubeconfig of its administrator. */
export function configOf({ server }: Playground, url = server.url): object {
  return {
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'a',
    contexts: [{ name: 'a', context: { cluster: 'a', user: 'a' } }],
    clusters: [
      {
        name: 'a',
        cluster: { server: url, 'certificate-authority-data': Buffer.from(server.caPem).toString('base64') },
      },
    ],
    users: [{ name: 'a', user: { token: server.adminToken } }],
  };
}
