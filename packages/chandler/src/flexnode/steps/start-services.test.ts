import { describe, expect, test } from 'vitest';
import { sampleConfig } from '../config/config.fixture.ts';
import { thrownBy } from '../flex-error.fixture.ts';
import { FlexError } from '../flex-error.ts';
import { type FakeContextOptions, fakeContext, unitCommands } from '../kubelet/step-context.fixture.ts';
import { createStartServices } from './start-services.ts';

const step = createStartServices({ nodeToken: async () => 'eyJhbGciOi.token-of-the-node.x' });
const acts = (ran: readonly string[]) =>
  ran.filter((line) => /^systemctl (?:daemon-reload|enable|disable|start|restart|stop)/.test(line));

async function started(options: FakeContextOptions = {}) {
  const context = fakeContext({ commands: unitCommands(), ...options });
  await step.execute(context);
  return context;
}

async function failed(options: FakeContextOptions): Promise<FlexError> {
  const context = fakeContext({ commands: unitCommands(), ...options });
  return thrownBy(step.execute(context));
}

describe('starting the services', () => {
  test('[004-checklist] step 11: enable, start, verify containerd; enable, start, verify kubelet', async () => {
    const { host } = await started();
    expect(acts(host.ran)).toEqual([
      'systemctl daemon-reload',
      'systemctl enable containerd.service',
      'systemctl start containerd.service',
      'systemctl enable kubelet.service',
      'systemctl start kubelet.service',
    ]);
    const verified = host.ran.findIndex((line) => line.startsWith('ctr '));
    expect(verified).toBeGreaterThan(host.ran.indexOf('systemctl start containerd.service'));
    expect(verified).toBeLessThan(host.ran.indexOf('systemctl start kubelet.service'));
  });

  test('[004-checklist] [004-S11] it ends only when the Node is Ready, read with the credential of the node itself', async () => {
    const context = await started({
      nodes: [
        undefined,
        { ready: false, reason: 'KubeletNotReady', message: 'starting' },
        { ready: true, kubeletVersion: 'v1.32.7' },
      ],
    });
    expect(context.asked).toEqual([
      'whoAmI token',
      // Before the kubelet is started: its first report is recognised by the change.
      'node edge-01 certificate',
      'node edge-01 certificate',
      'node edge-01 certificate',
      'node edge-01 certificate',
    ]);
    expect(context.said).toContain('Node edge-01: not registered yet');
    expect(context.said.at(-1)).toBe('the Node is Ready');
  });

  test('[004-S11] the identity is proved before the kubelet is started', async () => {
    const error = await failed({
      whoAmI: () =>
        Promise.reject(
          new FlexError({ class: 'auth', code: 'cluster.unauthorized', message: 'Unauthorized' }),
        ),
    });
    expect(error.facts).toMatchObject({ class: 'auth', code: 'flex.unauthorized' });
  });

  test('[004-S11] a deadline that passes names the cause, the fix, and the ends of both journals', async () => {
    const log =
      'E1115 "Unable to register node" err="nodes is forbidden: User "aaaa-0001" cannot create resource "nodes" in API group"';
    const error = await failed({
      config: sampleConfig({ readiness: { deadlineSeconds: 10 } }),
      nodes: [undefined],
      commands: {
        ...unitCommands(),
        'journalctl -u kubelet': { stdout: `first line\n${log}\n` },
        'journalctl -u containerd': { stdout: 'level=info msg="containerd successfully booted"\n' },
      },
    });
    expect(error.facts.code).toBe('flex.not-bound');
    expect(error.facts.message).toMatch(/not Ready after 10 s.*no permissions in the cluster/s);
    expect(error.facts.remedy).toContain('kubectl get clusterrolebindings -l');
    expect(error.facts.excerpts?.map(({ from, lines }) => [from, lines.length])).toEqual([
      ['journal of kubelet.service', 2],
      ['journal of containerd.service', 1],
    ]);
  });

  test('[004-SEC-16] a token that a journal holds is in no error', async () => {
    const token = 'eyJhbGciOiJSUzI1NiJ9.eyJvaWQiOiIxIn0.c2lnbmF0dXJl';
    const error = await failed({
      config: sampleConfig({ readiness: { deadlineSeconds: 4 } }),
      nodes: [undefined],
      commands: {
        ...unitCommands(),
        'journalctl -u kubelet': { stdout: `E1115 Unauthorized, Authorization: Bearer ${token}\n` },
      },
    });
    expect(JSON.stringify(error.facts)).not.toContain(token.slice(0, 20));
    expect(JSON.stringify(error.facts)).not.toContain('token-of-the-node');
  });

  test('[004-S11] a kubelet that is active between two deaths is not taken for a healthy one', async () => {
    let restarts = 0;
    const error = await failed({
      healthy: () => false,
      commands: {
        ...unitCommands(),
        'systemctl show': () => ({ stdout: `${restarts++}\n` }),
        'journalctl -u kubelet': {
          stdout: 'E1115 err="failed to parse kubelet flag: unknown flag: --pod-infra-container-image"\n',
        },
      },
    });
    expect(error.facts.message).toMatch(/restarts repeatedly/);
    expect(error.facts.code).toBe('flex.flag-removed');
  });

  test('containerd without its part for Kubernetes is found before the kubelet is started', async () => {
    const error = await failed({
      commands: { ...unitCommands(), ctr: { stdout: 'io.containerd.grpc.v1 tasks linux/amd64 ok\n' } },
    });
    expect(error.facts.message).toContain('CRI plugin of containerd is disabled');
  });

  test('nothing is restarted when nothing changed, and only the kubelet when only its settings did', async () => {
    const commands = unitCommands();
    const first = await started({ commands });
    const facts = Object.fromEntries(first.known);
    const again = await started({ commands, facts });
    expect(acts(again.host.ran)).toEqual(['systemctl daemon-reload']);
    const changed = await started({ commands, facts, config: sampleConfig({ node: { maxPods: 30 } }) });
    const restart = ['systemctl stop kubelet.service', 'systemctl start kubelet.service'];
    expect(acts(changed.host.ran)).toEqual(['systemctl daemon-reload', ...restart]);
    const pause = sampleConfig({ containerd: { pauseImage: 'registry.example/pause:3.9' } });
    const other = await started({ commands, facts, config: pause });
    // The kubelet, too: otherwise the Node would be Ready in a status from before.
    expect(acts(other.host.ran)).toEqual([
      'systemctl daemon-reload',
      'systemctl restart containerd.service',
      ...restart,
    ]);
  });

  test('it is completed only while both run with these files and the Node is Ready', async () => {
    const commands = unitCommands();
    const { known } = await started({ commands });
    const facts = Object.fromEntries(known);
    expect(await step.isCompleted(fakeContext({ commands, facts }))).toBe(true);
    expect(await step.isCompleted(fakeContext({ commands, facts, nodes: [{ ready: false }] }))).toBe(false);
    expect(await step.isCompleted(fakeContext({ commands, facts, healthy: () => false }))).toBe(false);
    expect(await step.isCompleted(fakeContext({ commands: unitCommands(), facts }))).toBe(false);
    const unreachable = new FlexError({ class: 'network', code: 'cluster.unreachable', message: 'no way' });
    expect(await step.isCompleted(fakeContext({ commands, facts, nodes: [unreachable] }))).toBe(false);
  });

  test('with security.tlsBootstrap false the Node is read with the Arc token', async () => {
    const context = await started({ config: sampleConfig({ security: { tlsBootstrap: false } }) });
    expect(context.asked).toEqual(['whoAmI token', 'node edge-01 token', 'node edge-01 token']);
  });

  test('a Node that could not be read before the start must stay Ready', async () => {
    const unreachable = new FlexError({ class: 'network', code: 'cluster.unreachable', message: 'reset' });
    const ready = { ready: true, heartbeat: 'the same' };
    const nodes = [unreachable, ...Array.from({ length: 10 }, () => ready), { ...ready, ready: false }];
    const config = sampleConfig({ readiness: { deadlineSeconds: 10 } });
    const error = await failed({ nodes, config });
    expect(error.facts.message).toContain('not Ready');
    const context = await started({ nodes: [unreachable, ready], config });
    expect(context.said.at(-1)).toBe('the Node is Ready');
  });

  test('a dry run names the commands and waits for nothing', async () => {
    const context = await started({ dryRun: true, nodes: [undefined], healthy: () => false });
    expect(context.asked).toEqual([]);
    expect(acts(context.host.ran)).toHaveLength(5);
  });

  test('an interruption ends the waiting at once', async () => {
    const stop = new AbortController();
    stop.abort(new Error('stopped by the operator'));
    const context = fakeContext({ commands: unitCommands(), signal: stop.signal });
    await expect(step.execute(context)).rejects.toThrow('stopped by the operator');
  });
});
