/**
 * 1,000 claims launched at once against the ARM server, through the SDKs: no call above the rate limits, and
 * the memory used. `--cycles=20000` launches and deletes that many VMs, a few at a time, and checks whether
 * memory grows. Both run in virtual time. The ARM server is in the same process and counts. Resident memory
 * includes what V8 has not collected: `--max-old-space-size` bounds it, as the limit of a container would;
 * cycles need `--expose-gc`.
 */

import { parseArgs } from 'node:util';
import type { Call } from '@chandler/cloudsim/azure/testing';
import type { Stored } from '@chandler/kube';
import { neverAborted, virtualWorld } from '@chandler/kube/testing';
import type { NodeClaim } from '../packages/chandler/src/api/index.ts';
import { DEFAULT_RATES } from '../packages/chandler/src/arm/index.ts';

import { aClaim, inventory, type VmCloud, vmCloud } from '../test/azure/vm-cloud.fixture.ts';
import { assertWork, atMost, report, rounded } from './result.ts';

const { values } = parseArgs({
  options: { claims: { type: 'string', default: '1000' }, cycles: { type: 'string', default: '0' } },
});
const CLAIMS = Number(values.claims);
const CYCLES = Number(values.cycles);

const quiet = { debug() {}, info() {}, warn() {}, error: console.error, with: () => quiet };
const world = { ...virtualWorld({ startMs: Date.now() }), log: quiet };
const enough = 10 * Math.max(CLAIMS, CYCLES);
const fixture = await vmCloud({
  world,
  server: { callLogLimit: CYCLES > 0 ? 1000 : 200_000, throttle: true },
  catalogue: { quota: { family: enough, regional: enough } },
});
const nodeClass = fixture.nodeClass() as never;
// As at the start of a controller: sizes come before launches.
await fixture.cloud.instanceTypes({ nodeClass }, neverAborted());

if (CYCLES > 0) await cycle();
else await launchAll();
await fixture.close();

async function launchAll(): Promise<void> {
  const claims = Array.from({ length: CLAIMS }, (_, at) => aClaim(`c${at}`));
  const baseMb = heapMb();
  let peakMb = baseMb;
  const startedMs = performance.now();
  const startMs = world.clock.now();
  const sampler = setInterval(() => {
    peakMb = Math.max(peakMb, heapMb());
  }, 20);
  await driven(claims.map((claim) => () => launch(fixture, claim)));
  clearInterval(sampler);
  const calls = fixture.server.resources.calls();
  const over = exceeded(calls);
  report({
    name: 'azure-launch',
    figures: {
      claims: CLAIMS,
      seconds: rounded((performance.now() - startedMs) / 1000),
      virtualSeconds: rounded((world.clock.now() - startMs) / 1000),
      callsPerLaunch: rounded(calls.length / CLAIMS),
      peakHeapMb: rounded(peakMb),
      residentMb: rounded(process.memoryUsage().rss / 2 ** 20),
    },
    goals: { residentMb: atMost(process.memoryUsage().rss / 2 ** 20, 300) },
    checked: [
      assertWork(inventory(fixture).vms.length === CLAIMS, 'every claim has its machine'),
      assertWork(over.length === 0, `no class of calls was above its rate ${over.join(', ')}`),
      assertWork(!calls.some((call) => call.status === 429), 'Azure never had to say 429'),
    ],
  });
}

async function cycle(): Promise<void> {
  const atOnce = 50;
  const heaps: number[] = [];
  for (let done = 0; done < CYCLES; done += atOnce) {
    const claims = Array.from({ length: Math.min(atOnce, CYCLES - done) }, (_, at) =>
      aClaim(`c${done + at}`),
    );
    await driven(
      claims.map((claim) => async () => {
        await launch(fixture, claim);
        await remove(fixture, claim);
      }),
    );
    if ((done / atOnce) % Math.max(1, Math.floor(CYCLES / atOnce / 10)) === 0) heaps.push(heapMb());
  }
  const [first, last] = [heaps[Math.floor(heaps.length / 5)]!, heaps.at(-1)!];
  report({
    name: 'azure-launch-cycles',
    figures: { cycles: CYCLES, heapEarlyMb: rounded(first), heapLateMb: rounded(last) },
    goals: { heapLateMb: atMost(last, first * 1.2) },
    checked: [
      assertWork(inventory(fixture).vms.length === 0, 'nothing is left'),
      `heap in MB along the way: ${heaps.map(Math.round).join(' ')}`,
    ],
  });
}

async function launch({ cloud }: VmCloud, claim: Stored<NodeClaim>): Promise<void> {
  for (;;) {
    const step = await cloud.create({ claim, nodeClass }, neverAborted());
    if (step.state === 'launched' && step.settled) return;
    await world.clock.sleep(step.retryAfterMs ?? 1000);
  }
}

async function remove({ cloud }: VmCloud, claim: Stored<NodeClaim>): Promise<void> {
  for (;;) {
    const step = await cloud.delete(claim, neverAborted());
    if (step.state === 'gone') return;
    await world.clock.sleep(step.retryAfterMs);
  }
}

/** Runs them all, moving time on whenever nothing else can happen. */
async function driven(works: readonly (() => Promise<void>)[]): Promise<void> {
  let running = true;
  const all = Promise.all(works.map((work) => work())).finally(() => {
    running = false;
  });
  while (running) await world.clock.advance(100);
  await all;
}

/** Classes of calls that went faster than a bucket of this rate allows. */
function exceeded(calls: readonly Call[]): readonly string[] {
  const classes = { read: ['GET'], write: ['PUT', 'PATCH'], delete: ['DELETE'] } as const;
  return (Object.keys(classes) as (keyof typeof classes)[]).filter((name) => {
    const { perSecond, burst } = DEFAULT_RATES[name];
    let tokens: number = burst;
    let atMs = calls[0]?.atMs ?? 0;
    return calls.some((call) => {
      if (!(classes[name] as readonly string[]).includes(call.method)) return false;
      tokens = Math.min(burst, tokens + ((call.atMs - atMs) / 1000) * perSecond) - 1;
      atMs = call.atMs;
      return tokens < -1e-6;
    });
  });
}

function heapMb(): number {
  globalThis.gc?.();
  return process.memoryUsage().heapUsed / 2 ** 20;
}
