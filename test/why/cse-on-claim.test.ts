/**
 * Seed 002: a node that failed to bootstrap says why on its NodeClaim. One operator, one API server, one ARM server, in
 * virtual time; in both modes: with the extension, and where cloud-init runs the script and Azure knows nothing.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { type CseScene, cseScene, type Mode } from './cse-on-claim.fixture.ts';

let scene: CseScene;
afterEach(() => scene?.stage.end());

const MODES: readonly Mode[] = ['bootstrappingclient', 'aksscriptless'];
/** The line of the simulated log that shows why code 50 was given. */
const DECISIVE = 'curl: (28) Failed to connect to mcr.microsoft.com port 443: Connection timed out';

describe.each(MODES)('in the mode %s', (mode) => {
  test('[002-AC1] when CSE fails, the NodeClaim carries CSEProvisioned False/CSEFailed and a Warning event CSEFailed', async () => {
    scene = await cseScene({ mode, faults: ['cse=50'] });
    const { reason, claim } = await scene.untilSaid('False');
    expect(reason).toBe('CSEFailed');
    await scene.stage.world.clock.advance(1000);
    const warned = (await scene.events()).filter(({ type }) => type === 'Warning').map(({ on }) => on);
    expect(warned).toContain(`NodeClaim/${claim.metadata.name}`);
    expect(warned).toContain('NodePool/general');
  });

  test('[002-AC2] the message has the exit code and a summary that people can read', async () => {
    scene = await cseScene({ mode, faults: ['cse=51'] });
    const { message } = await scene.untilSaid('False');
    expect(message).toMatch(/^CSE exited with code 51 .*: .*API server/);
    await scene.stage.world.clock.advance(1000);
    for (const event of await scene.events()) expect(event.message).toContain('CSE exited with code 51 ');
  });

  test('[002-AC3] a code with a known constant includes it, one without says so', async () => {
    scene = await cseScene({ mode, faults: ['cse=50@count=1', 'cse=199'] });
    const named = await scene.untilSaid('False');
    expect(named.message).toContain('code 50 (ERR_OUTBOUND_CONN_FAIL): ');
    await scene.stage.until('the next one fails too', () => scene.counted('code="199"') > 0);
    expect(scene.counted('code="199"', 'constant="unknown"')).toBe(1);
    const messages = (await scene.events()).map(({ message }) => message);
    expect(messages.find((message) => message.startsWith('CSE exited with code 199:'))).toContain('unknown');
  });

  test('[002-AC4] it is visible without Azure access: on the claim and in events, after the machine is gone', async () => {
    scene = await cseScene({ mode, faults: ['cse=50@count=1'] });
    const { claim } = await scene.untilSaid('False');
    const machine = `aks-${claim.metadata.name}`;
    const names = () => scene.stage.arm.resources.vms().map(({ name }) => name);
    await scene.stage.until('the machine is gone', () => !names().includes(machine), 30_000);
    await scene.stage.world.clock.advance(60_000);
    // Only the API server is asked from here on.
    const shown = (await scene.claims()).find(({ metadata }) => metadata.name === claim.metadata.name);
    expect(JSON.stringify(shown?.['status'])).toContain('ERR_OUTBOUND_CONN_FAIL');
    expect(shown?.metadata.annotations?.['chandler.sh/bootstrap-failure']).toBe('50 ERR_OUTBOUND_CONN_FAIL');
    const log = shown?.metadata.annotations?.['chandler.sh/bootstrap-log'];
    expect(log).toContain('+ exit 50');
    const told = (await scene.events()).find(({ on }) => on === `NodeClaim/${claim.metadata.name}`);
    expect(told?.message).toContain('ERR_OUTBOUND_CONN_FAIL');
    // The script of the simulated extension prints only its exit.
    if (mode === 'aksscriptless') {
      expect(log).toContain(DECISIVE);
      expect(told?.message).toContain(`Log: "${DECISIVE}"`);
    }
  });

  test('[002-AC5] it is in the log of the controller at its default level', async () => {
    scene = await cseScene({ mode, faults: ['cse=50'] });
    const { claim } = await scene.untilSaid('False');
    await scene.stage.world.clock.advance(1000);
    const line = scene.stage.world.lines.find(({ fields }) => fields['reason'] === 'CSEFailed');
    expect(line?.level).toBe('error');
    expect(line?.fields).toMatchObject({
      nodeclaim: claim.metadata.name,
      nodepool: 'general',
      code: 50,
      constant: 'ERR_OUTBOUND_CONN_FAIL',
    });
  });

  test('[002-AC6] an alert can be written on the code', async () => {
    scene = await cseScene({ mode, faults: ['cse=50'] });
    await scene.untilSaid('False');
    await scene.stage.world.clock.advance(1000);
    const labels = [
      'code="50"',
      'constant="ERR_OUTBOUND_CONN_FAIL"',
      'nodepool="general"',
      'image="2404gen2containerd/202512.18.0"',
    ];
    expect(scene.counted(...labels)).toBe(1);
  });

  test('the cause is on the claim within 30 s after Azure knows it', async () => {
    scene = await cseScene({ mode, faults: ['cse=50@count=1'] });
    const { arm, world } = scene.stage;
    let knownMs: number | undefined;
    await scene.stage.until('the claim says it', async () => {
      const failed = arm.resources
        .extensions()
        .some(
          ({ name, properties }) =>
            name === 'cse-agent-karpenter' && properties['provisioningState'] === 'Failed',
        );
      const printed = arm.resources
        .vms()
        .some(({ id }) => arm.vms.serialLog(id).includes('"ExitCode": "50"'));
      if (mode === 'aksscriptless' ? printed : failed) knownMs ??= world.clock.monotonic();
      return (await scene.condition('False')) !== undefined;
    });
    expect(knownMs).toBeDefined();
    expect(world.clock.monotonic() - knownMs!).toBeLessThanOrEqual(30_000);
  });
});

describe('a code that misleads', () => {
  test('211 on the image without oras: the missing binary is named, and no other VM is launched at once', async () => {
    scene = await cseScene({
      mode: 'aksscriptless',
      faults: ['cse=211'],
      nodeClass: { imageFamily: 'AzureLinux' },
      prepare: ({ azure }) =>
        azure.catalogue.images.publishImage({
          gallery: 'AKSAzureLinux',
          version: '202601.27.0',
          publishedDate: '2026-01-27T00:00:00Z',
        }),
    });
    const { message } = await scene.untilSaid('False');
    expect(message).toMatch(/^CSE exited with code 211 \(ERR_ORAS_PULL_NETWORK_TIMEOUT\): /);
    expect(message).toContain('Actual cause: the oras binary is missing in the node image');
    expect(message).toContain('202601.27.0');
    await scene.stage.world.clock.advance(10 * 60_000);
    // At once, after a minute, after five more.
    expect(scene.counted('code="211"')).toBe(4);
  });

  test('211 while the console shows that oras was not found', async () => {
    scene = await cseScene({ mode: 'aksscriptless', faults: ['boot-hang'] });
    const { arm } = scene.stage;
    await scene.stage.until('there is a machine', () => arm.resources.vms().length > 0);
    const status = {
      ExitCode: '211',
      Output: '+ oras login\n./cse_helpers.sh: line 10: oras: command not found\n+ exit 211',
    };
    arm.vms.appendSerialLog(
      arm.resources.vms()[0]!.id,
      `[ 60.1] cloud-init[1016]: ${JSON.stringify(status)}\n`,
    );
    const { message } = await scene.untilSaid('False');
    expect(message).toMatch(
      /^CSE exited with code 211 \(ERR_ORAS_PULL_NETWORK_TIMEOUT\): .*Actual cause: the oras binary is missing/,
    );
  });
});

test('[002-AC6] the rules in docs/alerts.md use metrics that there are', async () => {
  const text = readFileSync(join(import.meta.dirname, '../../docs/alerts.md'), 'utf8');
  const blocks = [...text.matchAll(/```yaml\n([\s\S]+?)```/g)].map(([, yaml]) => parse(yaml!) as RuleFile);
  const rules = blocks.flatMap(({ groups }) => groups.flatMap((group) => group.rules));
  const alerts = rules.map(({ alert }) => alert);
  expect(alerts).toEqual(
    expect.arrayContaining(['CSEFailed', 'BootstrapTokenExpires', 'NoCapacity', 'DriftStuck']),
  );
  scene = await cseScene({ mode: 'aksscriptless', faults: ['cse=50'] });
  await scene.untilSaid('False');
  scene.stage.world.scrape();
  const known = scene.stage.world.metricSpecs;
  for (const { alert, expr } of rules) {
    const used = [...expr.matchAll(/\b((?:karpenter|chandler|operator)_\w+)(\{[^}]*\})?/g)];
    expect(used, alert).not.toHaveLength(0);
    for (const [, name, labels = ''] of used) {
      expect(known.has(name!), `${alert}: ${name}`).toBe(true);
      for (const [, label] of labels.matchAll(/(\w+)=~?"/g))
        expect(known.get(name!)!.labels, alert).toContain(label);
    }
  }
});

interface RuleFile {
  readonly groups: readonly {
    readonly rules: readonly { readonly alert: string; readonly expr: string }[];
  }[];
}
