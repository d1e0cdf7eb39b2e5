/** Events per second that one watcher reads from the embedded API server, decoded as in the reflector. */
import { startApiServer } from '@chandler/apiserver';
import { fetchTransport, KubeClient, type KubeObject, PODS } from '@chandler/kube';
import { newPod } from './pods.ts';
import { assertWork, atLeast, report, rounded } from './result.ts';
import { benchWorld } from './world.ts';

const EVENTS = 30_000;

const world = benchWorld();
const server = await startApiServer({ world, collector: false, historyLimit: EVENTS + 1_000 });
const send = server.fetchAs({ username: 'bench', groups: ['system:masters'] });
const url = 'https://playground.invalid/api/v1/namespaces/default/pods';
for (let index = 0; index < EVENTS; index++) {
  const init = {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(newPod(index)),
  };
  await (await send(url, init)).text();
}

const client = new KubeClient({ transport: fetchTransport(send) });
const names = new Set<string>();
const started = performance.now();
const stream = await client.watch(PODS, {
  resourceVersion: '1',
  timeoutSeconds: 60,
  omitManagedFields: true,
});
let events = 0;
for await (const batch of stream.batches()) {
  for (const event of batch) {
    if (event.type === 'ADDED') names.add((event.object as KubeObject).metadata.name!);
    events++;
  }
  if (names.size >= EVENTS) break;
}
stream.cancel();
const seconds = (performance.now() - started) / 1000;
report({
  name: 'api-server-watch',
  figures: { eventsPerSecond: rounded(events / seconds), events },
  goals: { eventsPerSecond: atLeast(events / seconds, 30_000) },
  checked: [assertWork(names.size === EVENTS, 'every pod arrived once')],
});
await server.close();
