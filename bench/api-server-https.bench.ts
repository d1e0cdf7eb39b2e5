/**
 * Pod creates per second over HTTPS from 16 connections. The client is a worker thread, so it has its own
 * core like a real client.
 */
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { startApiServer } from '@chandler/apiserver';
import { Agent } from 'undici';
import { newPod } from './pods.ts';
import { assertWork, atLeast, report, rounded } from './result.ts';
import { benchWorld } from './world.ts';

const CONNECTIONS = 16;
const WARM_UP = 2_000;
const MEASURED = 10_000;

if (isMainThread) {
  const server = await startApiServer({ world: benchWorld(), port: 0, collector: false });
  const { url, adminToken, caPem } = server;
  const worker = new Worker(new URL(import.meta.url), { workerData: { url, adminToken, caPem } });
  const { made, seconds } = await new Promise<{ made: number; seconds: number }>((resolve, reject) => {
    worker.once('message', resolve).once('error', reject);
  });
  const send = server.fetchAs({ username: 'bench', groups: ['system:masters'] });
  const answer = await send('https://playground.invalid/api/v1/namespaces/default/pods?limit=1');
  const listed = (await answer.json()) as { metadata: { remainingItemCount: number } };
  const perSecond = made / seconds;
  report({
    name: 'api-server-https',
    figures: { podCreatesPerSecond: rounded(perSecond), connections: CONNECTIONS, pods: made },
    goals: { podCreatesPerSecond: atLeast(perSecond, 1_500) },
    checked: [
      assertWork(listed.metadata.remainingItemCount + 1 === WARM_UP + MEASURED, 'every pod is listed'),
    ],
  });
  await server.close();
} else {
  const { url, adminToken, caPem } = workerData as { url: string; adminToken: string; caPem: string };
  const agent = new Agent({ connections: CONNECTIONS, pipelining: 1, connect: { ca: caPem } });
  const headers = { authorization: `Bearer ${adminToken}`, 'content-type': 'application/json' };
  const bodies = Array.from({ length: WARM_UP + MEASURED }, (_, index) => JSON.stringify(newPod(index)));

  const create = async (from: number, to: number): Promise<number> => {
    let next = from;
    let made = 0;
    const lane = async () => {
      while (next < to) {
        const body = bodies[next++]!;
        const answer = await agent.request({
          origin: url,
          path: '/api/v1/namespaces/default/pods',
          method: 'POST',
          headers,
          body,
        });
        if (answer.statusCode === 201) made++;
        await answer.body.dump();
      }
    };
    await Promise.all(Array.from({ length: CONNECTIONS }, lane));
    return made;
  };

  await create(0, WARM_UP);
  const started = performance.now();
  const made = await create(WARM_UP, WARM_UP + MEASURED);
  parentPort!.postMessage({ made, seconds: (performance.now() - started) / 1000 });
  await agent.close();
}
