/**
 * Realistic pods that the embedded API server creates per second, in process: decoded, defaulted, validated,
 * stored.
 */
import { startApiServer } from '@chandler/apiserver';
import { newPod } from './pods.ts';
import { assertWork, atLeast, report, rounded } from './result.ts';
import { benchWorld } from './world.ts';

const WARM_UP = 3_000;
const MEASURED = 20_000;

const server = await startApiServer({ world: benchWorld(), collector: false });
const send = server.fetchAs({ username: 'bench', groups: ['system:masters'] });
const url = 'https://playground.invalid/api/v1/namespaces/default/pods';

async function create(from: number, count: number): Promise<number> {
  let made = 0;
  for (let index = from; index < from + count; index++) {
    const response = await send(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(newPod(index)),
    });
    if (response.status === 201) made++;
    await response.text();
  }
  return made;
}

await create(0, WARM_UP);
const started = performance.now();
const cpuBefore = process.cpuUsage();
const made = await create(WARM_UP, MEASURED);
const seconds = (performance.now() - started) / 1000;
const perSecond = made / seconds;
const cpu = process.cpuUsage(cpuBefore);
// What the machine would give if nobody else were on it.
const cpuMicros = (cpu.user + cpu.system) / made;

const listed = (await (await send(`${url}?limit=1`)).json()) as { metadata: { remainingItemCount: number } };
const sample = (await (await send(`${url}/${newPod(WARM_UP).metadata.name}`)).json()) as {
  spec: { terminationGracePeriodSeconds: number };
  metadata: { managedFields: unknown[] };
};
report({
  name: 'api-server-creates',
  figures: { podCreatesPerSecond: rounded(perSecond), cpuMicrosPerCreate: rounded(cpuMicros), pods: made },
  goals: { podCreatesPerSecond: atLeast(perSecond, 5_000) },
  checked: [
    assertWork(listed.metadata.remainingItemCount + 1 === WARM_UP + MEASURED, 'every pod is listed'),
    assertWork(sample.spec.terminationGracePeriodSeconds === 30, 'pods carry their defaults'),
    assertWork(sample.metadata.managedFields.length === 1, 'field ownership is tracked'),
  ],
});
await server.close();
